import { writeSync } from 'node:fs';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../errors.ts';
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
}

/**
 * Runs a service as this process, from its configuration to its end. A fault at the start stops what was started,
 * prints one message and exits with status 1. SIGINT, SIGTERM or SIGHUP (a closed terminal) stops in order and exits
 * with 0; a second signal does not wait.
 *
 * @param configure makes the log, and what is to be started with it.
 */
export async function runProcess(configure: () => Process): Promise<void> {
  let lifecycle: Lifecycle | undefined;
  try {
    const { log, boot, notice = 0 } = configure();
    lifecycle = new Lifecycle(log);
    let noticeDue = 0;
    stopOnSignals(lifecycle, log, () => noticeDue);
    await boot(lifecycle);
    noticeDue = notice;
  } catch (error) {
    await lifecycle?.stop();
    writeSync(process.stderr.fd, `${explain(error)}\n`);
    process.exit(1);
  }
}

function stopOnSignals(lifecycle: Lifecycle, log: Logger, noticeDue: () => number): void {
  let isStopping = false;
  const onSignal = async (signal: NodeJS.Signals) => {
    if (isStopping) {
      process.exit(1);
    }
    isStopping = true;
    const notice = signal === 'SIGTERM' ? noticeDue() : 0;
    log.info({ signal, notice }, 'stopping; a second signal does not wait');
    await lifecycle.stop(notice);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void onSignal(signal));
  }
}

/** What is wrong, for a person; a fault nobody foresaw comes with where it happened. */
function explain(error: unknown): string {
  const isForeseen = error instanceof AppError;
  return !isForeseen && error instanceof Error
    ? maskSecrets(error.stack ?? messageOf(error))
    : messageOf(error);
}
