import { Worker } from 'node:worker_threads';
import { typedOptions } from '../../../support/typed-options.ts';
import type { Findings, Order } from './worker.ts';

/**
 * Feeds random and mutated messages to every built-in format and every decoder, in a thread of its own with little
 * memory, and ends with status 1 if one throws, ends in no sound outcome, takes too long, never ends, or takes more than
 * 4 MiB once decoded.
 * `npm run fuzz:formats -- --messages 1000000 --seed 1`; `--from 12345 --messages 1` repeats one of them.
 *
 * Measured with Node 24 on a busy 2-core server, 1,000,000 messages (seed 37): no fault, 550 s; peak memory of the whole
 * process 428 MiB, within the bound on the heap. The event loop of ingestion, which has threads read what is large, was held
 * for 25 ms of processor time at most by 1 MiB for a built-in format: deep or many items, keys, numbers, long texts.
 */
const { values } = typedOptions('fuzz:formats', {
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
});
const [messages, seed, from] = [values.messages, values.seed, values.from].map(Number) as [
  number,
  number,
  number,
];

/** MiB of heap: a message has 1 MiB at the most, and what is made of it is bounded. */
const HEAP = 256;
/** Milliseconds without one message done, on however busy a machine. */
const PATIENCE = 60_000;

const current = new Int32Array(new SharedArrayBuffer(4));
const order: Order = { seed, from, until: from + messages, current };
const worker = new Worker(new URL('worker.ts', import.meta.url), {
  workerData: order,
  resourceLimits: { maxOldGenerationSizeMb: HEAP },
});
const began = performance.now();
let seen = -1;
const watch = setInterval(() => {
  const index = Atomics.load(current, 0);
  if (index === seen) {
    fail(new Error(`does not end within ${PATIENCE / 1_000} s`));
  }
  seen = index;
}, PATIENCE);
const progress = process.stderr.isTTY
  ? setInterval(() => process.stderr.write(`\r${Atomics.load(current, 0) - from} of ${messages}`), 1_000)
  : undefined;
worker.once('error', fail);
worker.once('message', ({ byOutcome, slowest, faults }: Findings) => {
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${messages} messages (seed ${seed}) in ${seconds.toFixed(0)} s`);
  console.table(byOutcome);
  console.log('The slowest:');
  console.table(slowest);
  console.log(`Peak memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1_024)} MiB`);
  for (const fault of faults) {
    console.error(fault);
  }
  end(faults.length === 0 ? 0 : 1);
});

function fail(error: unknown): void {
  console.error(`Message ${Atomics.load(current, 0)} of seed ${seed}:`, error);
  end(1);
}

function end(status: number): void {
  clearInterval(watch);
  clearInterval(progress);
  process.exitCode = status;
  worker.terminate();
}
