import { writeSync } from 'node:fs';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import { firstSignal } from './first-signal.ts';
import { giveMemoryBack } from './give-memory-back.ts';
import { Lifecycle } from './lifecycle.ts';
import { maskSecrets } from './mask-secrets.ts';

export interface Process {
  log: Logger;
  boot: (lifecycle: Lifecycle) => Promise<unknown>;
  /**
   * How long SIGTERM, by which a supervisor replaces a process, is announced before anything stops, in milliseconds:
   * time for whoever distributes requests to send them elsewhere. Nobody who stops it by hand waits.
   */
  notice?: number;
  /** How long stopping may take, in milliseconds, where a database that hangs would have it wait for ever. */
  patience?: number;
}

/** Less than the thirty seconds that supervisors commonly wait. */
const PATIENCE = 20_000;

/**
 * Runs a service as this process, from its configuration to its end. A fault at the start stops what was started,
 * prints one message and exits with status 1, and so does one that comes later (`Lifecycle.fail`). SIGINT, SIGTERM or SIGHUP (a closed terminal) stops in order and exits
 * with 0, or with 1 if that takes too long; a second signal does not wait.
 *
 * @param configure makes the log, and what is to be started with it.
 */
export async function runProcess(configure: () => Process): Promise<void> {
  let lifecycle: Lifecycle | undefined;
  try {
    const { log, boot, notice = 0, patience = PATIENCE } = configure();
    lifecycle = new Lifecycle(log);
    let noticeDue = 0;
    stopOnSignals(lifecycle, log, patience, () => noticeDue);
    endOnFailure(lifecycle);
    await boot(lifecycle);
    giveMemoryBack(log);
    noticeDue = notice;
  } catch (error) {
    await lifecycle?.stop();
    writeSync(process.stderr.fd, `${explain(error)}\n`);
    process.exit(1);
  }
}

/** What stops in order waits for what is gone, so it does not get much time. */
async function endOnFailure(lifecycle: Lifecycle): Promise<void> {
  const error = await lifecycle.failure;
  writeSync(process.stderr.fd, `${explain(error)}\n`);
  setTimeout(() => process.exit(1), FAILURE_PATIENCE);
  await lifecycle.stop();
  process.exit(1);
}

/** Milliseconds. */
const FAILURE_PATIENCE = 3_000;

function stopOnSignals(lifecycle: Lifecycle, log: Logger, patience: number, noticeDue: () => number): void {
  const stop = async (signal: NodeJS.Signals) => {
    const notice = signal === 'SIGTERM' ? noticeDue() : 0;
    log.info({ signal, notice }, 'Shutting down gracefully; a second signal stops at once');
    setTimeout(() => {
      log.error({ patience }, 'Graceful shutdown timed out; exiting. Nothing uncommitted was acknowledged');
      process.exit(1);
    }, notice + patience);
    await lifecycle.stop(notice);
    process.exit(0);
  };
  const onSignal = firstSignal(
    (signal) => void stop(signal),
    () => process.exit(1),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, onSignal);
  }
}

/** What is wrong, for a person; a fault nobody foresaw comes with where it happened. */
function explain(error: unknown): string {
  const isForeseen = error instanceof AppError;
  return !isForeseen && error instanceof Error
    ? maskSecrets(error.stack ?? messageOf(error))
    : messageOf(error);
}
