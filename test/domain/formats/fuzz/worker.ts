import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { decode } from '../../../../domain/formats/mapping/decoding/decode.ts';
import type { Decoded } from '../../../../domain/formats/mapping/decoding/decoded.ts';
import type { Format } from '../../../../domain/formats/mapping/format.ts';
import { type Mapped, mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { type FuzzedMessage, fuzzedMessage } from './message.ts';
import { faultOf } from './soundness.ts';

export interface Order {
  seed: number;
  from: number;
  until: number;
  /** The message that is being read, for whoever watches. */
  current: Int32Array;
}

export interface Findings {
  /** By format: messages by their outcome, and items by theirs. */
  byOutcome: Record<string, Counts>;
  slowest: Slow[];
  faults: string[];
}

interface Counts {
  messages: number;
  ignored: number;
  rejected: number;
  reads: number;
  ignoredItems: number;
  rejectedItems: number;
}

interface Slow {
  index: number;
  format: string;
  bytes: number;
  milliseconds: number;
}

/** Milliseconds; what takes longer is tried again, since the machine may have been busy with something else. */
const SLOW = 1_000;
const MOST_FAULTS = 20;
const MOST_SLOW = 5;
const COUNTED_AS = { read: 'reads', ignored: 'ignoredItems', rejected: 'rejectedItems' } as const;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Kept while the memory that it takes is counted. */
const kept: { decoded: Decoded | null } = { decoded: null };

const targets = loadTargets();
const order: Order = workerData;
const findings: Findings = { byOutcome: {}, slowest: [], faults: [] };
for (let index = order.from; index < order.until && findings.faults.length < MOST_FAULTS; index += 1) {
  Atomics.store(order.current, 0, index);
  examine(index, fuzzedMessage(targets, order.seed, index));
}
parentPort?.postMessage(findings);

function examine(index: number, { format, message, policies }: FuzzedMessage): void {
  try {
    const began = process.threadCpuUsage();
    const mapped = mapMessage(format, message, policies);
    const { user, system } = process.threadCpuUsage(began);
    const milliseconds = (user + system) / 1_000;
    const fault = faultOf(mapped);
    if (fault !== null) {
      findings.faults.push(`${index}: ${fault}`);
    }
    count(format.name, mapped);
    noteMemory(index, format, message.payload);
    const again = () => mapMessage(format, message, policies);
    noteTime({ index, format: format.name, bytes: message.payload.length, milliseconds }, again);
  } catch (error) {
    findings.faults.push(`${index}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

function count(format: string, mapped: Mapped): void {
  findings.byOutcome[format] ??= {
    messages: 0,
    ignored: 0,
    rejected: 0,
    reads: 0,
    ignoredItems: 0,
    rejectedItems: 0,
  };
  const counts = findings.byOutcome[format];
  counts.messages += 1;
  if (mapped.outcome !== 'items') {
    counts[mapped.outcome] += 1;
    return;
  }
  for (const { outcome } of mapped.items) {
    counts[COUNTED_AS[outcome]] += 1;
  }
}

/** What a large payload takes once it is decoded. */
function noteMemory(index: number, { decoders }: Format, payload: Buffer): void {
  if (payload.length < MAX_PAYLOAD_BYTES / 2 || payload.length > MAX_PAYLOAD_BYTES) {
    return;
  }
  kept.decoded = null;
  collectGarbage();
  const before = getHeapStatistics().used_heap_size;
  kept.decoded = decode(decoders, payload);
  collectGarbage();
  const bytes = getHeapStatistics().used_heap_size - before;
  if (bytes > 4 * MAX_PAYLOAD_BYTES) {
    findings.faults.push(`${index}: takes ${bytes} bytes for ${payload.length}`);
  }
}

function noteTime(slow: Slow, again: () => void): void {
  const { slowest } = findings;
  if (slow.milliseconds > SLOW) {
    slow.milliseconds = Math.min(slow.milliseconds, timeOf(again), timeOf(again), timeOf(again));
  }
  if (slow.milliseconds > SLOW) {
    findings.faults.push(`${slow.index}: takes ${slow.milliseconds} ms for ${slow.bytes} bytes`);
  }
  if (slowest.length < MOST_SLOW || slow.milliseconds > (slowest.at(-1)?.milliseconds ?? 0)) {
    slowest.push(slow);
    slowest.sort((a, b) => b.milliseconds - a.milliseconds);
    slowest.length = Math.min(slowest.length, MOST_SLOW);
  }
}

function timeOf(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
