import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Preloaded into the process that is measured (`--import`). Sends its parent what its memory consists of: `memory`
 * every `MEMORY_SAMPLE_MS`, `collected` after each major collection that V8 does by itself, and `forced` after one that
 * the parent asks for. The heap after a collection is what lives; the rest of its growth is laziness.
 */
export interface MemorySample {
  kind: 'memory' | 'collected' | 'forced';
  /** Bytes. */
  rss: number;
  heapTotal: number;
  heapUsed: number;
  external: number;
  arrayBuffers: number;
  /** Seconds of processor time since the start. */
  processor: number;
}

function send(kind: MemorySample['kind']): void {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const sample: MemorySample = {
    ...{ kind, rss, heapTotal, heapUsed, external, arrayBuffers },
    processor: (user + system) / 1e6,
  };
  process.send?.(sample);
}

if (process.send !== undefined) {
  setInterval(send, Number(process.env['MEMORY_SAMPLE_MS']), 'memory').unref();
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isMajor)) {
      send('collected');
    }
  }).observe({ entryTypes: ['gc'] });
  process.on('message', (message) => {
    if (message === 'collect') {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      send('forced');
    }
  });
  process.channel?.unref();
}

function isMajor(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { detail: { kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
