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
   * Milliseconds between SIGTERM, which supervisors send, and shutdown: time for load balancers to react.
   * Ctrl-C does not wait.
   */
  notice?: number;
  /** Milliseconds for a graceful shutdown, which a hanging database would otherwise block for ever. */
  patience?: number;
}

/** Less than the thirty seconds that supervisors commonly wait. */
const PATIENCE = 20_000;

/**
 * Runs a service as this process, from configuration to exit. A fault at start stops the started parts,
 * prints one message and exits with 1; so does a later one (`Lifecycle.fail`). SIGINT, SIGTERM or SIGHUP (a
 * closed terminal) shuts down gracefully and exits with 0, or with 1 if that takes too long; a second signal
 * exits at once.
 *
 * @param configure creates the log, and the function that starts the service.
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

async function endOnFailure(lifecycle: Lifecycle): Promise<void> {
  const error = await lifecycle.failure;
  writeSync(process.stderr.fd, `${explain(error)}\n`);
  setTimeout(() => process.exit(1), FAILURE_PATIENCE);
  await lifecycle.stop();
  process.exit(1);
}

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

function explain(error: unknown): string {
  const isForeseen = error instanceof AppError;
  return !isForeseen && error instanceof Error
    ? maskSecrets(error.stack ?? messageOf(error))
    : messageOf(error);
}
