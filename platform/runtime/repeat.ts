export interface Repeating {
  stop(): Promise<void>;
}

/**
 * Runs `task` now and again `pause` milliseconds after each run. A failed run is reported and does not stop
 * the next.
 */
export function repeat(
  pause: number,
  task: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Repeating {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const run = () => {
    running = task().then(
      () => {},
      (error: unknown) => onFault(error),
    );
    running.then(() => {
      if (!isStopped) {
        timer = setTimeout(run, pause);
      }
    });
  };
  run();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
