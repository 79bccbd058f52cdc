import { pino } from 'pino';
import { createClock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { INTERRUPTED, withInterruption } from '../../../platform/runtime/interruption.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readDemoConfig, startDemo } from './demo.ts';
import { runLive } from './live.ts';
import { runOnce } from './once.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { linesScreen, redrawnScreen } from './screen.ts';

const options = parseOptions(process.argv.slice(2));
switch (options.kind) {
  case 'help':
    console.log(USAGE);
    break;
  case 'wrong':
    console.error(`${options.message}\nTry --help.`);
    process.exitCode = 2;
    break;
  case 'run':
    // More signals do not keep what is running from being stopped and removed.
    process.exitCode = await withInterruption((signal) => run(options, signal), {
      first: () => console.error('\nStopping ...'),
      again: () => {},
    });
}

/** @returns the exit status, when everything is stopped and removed. */
async function run({ isOnce, seed }: Options & { kind: 'run' }, signal: AbortSignal): Promise<number> {
  const clock = createClock();
  const print = (line: string) => console.log(line);
  let lifecycle: Lifecycle | undefined;
  try {
    const config = readDemoConfig(process.env);
    const log = createLog(
      'demo',
      config.LOG_LEVEL,
      pino.destination({ dest: process.stderr.fd, sync: true }),
    );
    lifecycle = new Lifecycle(log);
    print('Starting tagtrail with a database of its own ...');
    const demo = await startDemo(config, log, lifecycle, print);
    const work = isOnce
      ? runOnce(demo, { seed, end: clock() })
      : runLive(demo, { seed, clock, signal, screen: screenFor(print) });
    return (await Promise.race([work, aborted(signal)])) ? 0 : 1;
  } catch (error) {
    if (signal.aborted) {
      // Ctrl-C is how the one ends, and breaks the other off.
      return isOnce ? INTERRUPTED : 0;
    }
    console.error(error instanceof AppError || !(error instanceof Error) ? messageOf(error) : error);
    return 1;
  } finally {
    await lifecycle?.stop();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) {
      reject(signal.reason);
    }
  });
}

function screenFor(print: (line: string) => void) {
  return process.stdout.isTTY ? redrawnScreen(process.stdout) : linesScreen(print);
}
