import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { firstSignal } from './interruption.ts';
import { Lifecycle } from './lifecycle.ts';
import { maskSecrets } from './log.ts';

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
  const status = statusOfArguments(process.argv.slice(2));
  if (status !== null) {
    process.exit(status);
  }
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

interface MemoryOptions {
  /** Milliseconds between checks; tests shorten it. */
  every?: number;
}

/**
 * Returns memory after a peak: pages of large rows, an import, a backlog after an outage. V8 collects while a
 * process allocates, so a process that has gone quiet may keep it for good. This checks periodically whether
 * the process has grown and is idle, and then collects, which holds the event loop for some 25 ms; if that
 * gains nothing, the next attempt waits for further growth. Figures: test/bench/README.md.
 *
 * @returns a function that stops it.
 */
function giveMemoryBack(log: Logger, { every = LOOK_EVERY }: MemoryOptions = {}): () => void {
  let floor = process.memoryUsage.rss();
  let before = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const grown = process.memoryUsage.rss();
    floor = Math.min(floor, grown);
    if (grown - floor < WORTHWHILE || utilization > QUIET) {
      return;
    }
    collect();
    const rss = process.memoryUsage.rss();
    log.debug({ before: grown, after: rss }, 'Memory returned to the operating system');
    if (grown - rss < PROGRESS) {
      floor = rss;
    }
  };
  const timer = setInterval(look, every).unref();
  return () => clearInterval(timer);
}

let gc: (() => void) | undefined;

function collect(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
    // Compiled code is cached by flags (compile-cache.ts).
    setFlagsFromString('--no-expose-gc');
  }
  // Releases the last text matched by a regular expression, which can be an answer of 20 MB.
  /^/.test('');
  gc();
}

/** Milliseconds. */
const LOOK_EVERY = 5_000;

/** Bytes it must have grown by, and that a collection must gain for the next to be tried. */
const WORTHWHILE = 24 * 1_048_576;
const PROGRESS = 4 * 1_048_576;

/** Share of processor time below which a process is idle. */
const QUIET = 0.1;

const HELP = `Starts, and runs until Ctrl-C or SIGTERM. It takes no arguments: its settings are variables of the
environment, which docs/settings.md lists and "${TAGTRAIL} doctor" checks.
`;

/**
 * A service that ignored arguments would start with other settings than were meant, or instead of showing help.
 *
 * @returns the exit status instead of a start, after help or an error that names the argument; null to start.
 */
function statusOfArguments(args: readonly string[]): number | null {
  const [first] = args;
  if (first === undefined) {
    return null;
  }
  if (args.includes('--help') || args.includes('-h')) {
    writeSync(process.stdout.fd, HELP);
    return 0;
  }
  writeSync(
    process.stderr.fd,
    `${first} is not understood: a service takes no arguments, its settings are variables of the environment. Try --help.\n`,
  );
  return 2;
}
