import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from 'pino';

export interface MemoryOptions {
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
export function giveMemoryBack(log: Logger, { every = LOOK_EVERY }: MemoryOptions = {}): () => void {
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
