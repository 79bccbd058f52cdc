import { GCProfiler } from 'node:v8';
import { decode } from '../../../../domain/formats/mapping/decoding/decode.ts';
import type { Decoded } from '../../../../domain/formats/mapping/decoding/decoded.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { largePayloads } from '../../../support/large-payloads.ts';

export interface Peak {
  format: string;
  /** Bytes of the heap beside what was there before, at most at one time. */
  bytes: number;
  payload: number;
}

/**
 * Prints what decoding hostile payloads of 1 MiB takes at most. To be run with `--expose-gc` and a young generation so small that
 * it is collected again and again meanwhile: what is left after each collection is in use.
 */
const peaks: Peak[] = [];
/** Kept until it is counted, and no longer. */
const kept: { decoded: Decoded | null } = { decoded: null };
for (const { format } of loadTargets().filter(({ format }) => format.name.startsWith('whole-language-'))) {
  const peak = { format: format.name, bytes: 0, payload: 0 };
  for (const [payload, bytes] of largePayloads(
    Buffer.from('[{"v":"00ff"}]'),
    MAX_PAYLOAD_BYTES - 64,
  ).entries()) {
    kept.decoded = null;
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const profiler = new GCProfiler();
    profiler.start();
    kept.decoded = decode(format.decoders, bytes);
    const collections = profiler.stop().statistics;
    globalThis.gc?.();
    const after = process.memoryUsage().heapUsed;
    const used = collections.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize);
    const taken = Math.max(after, ...used) - before;
    if (taken > peak.bytes) {
      Object.assign(peak, { bytes: taken, payload });
    }
  }
  peaks.push(peak);
}
console.log(JSON.stringify(peaks));
