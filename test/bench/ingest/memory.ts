import { appendFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publishEvenly, startIngestion } from './even-rate.ts';
import type { MemorySample } from './memory-sampler.ts';
import type { IngestOptions } from './options.ts';
import { createSite } from './site.ts';

/** Seconds between samples, and minutes of the end in which a collection is forced with each. */
const EVERY = 30;
const FORCED_MINUTES = 10;

/**
 * The memory of ingestion over hours, at an even rate: reads, moves, late reads, unknown tags and messages that cannot
 * be decoded. Writes a line for each sample to `options.samples`, comma-separated.
 */
export async function benchMemory(serverUrl: string, options: IngestOptions): Promise<void> {
  const { minutes, rate, samples } = options;
  const site = await createSite(serverUrl, 0);
  const { child, broker, stop } = await startIngestion(site, {
    preload: [fileURLToPath(new URL('memory-sampler.ts', import.meta.url))],
    environment: { MEMORY_SAMPLE_MS: String(EVERY * 1_000) },
  });
  const begun = Date.now();
  writeFileSync(samples, 'second,kind,rss,heap_total,heap_used,external,array_buffers,processor\n');
  child.on('message', (sample: MemorySample) => {
    const second = Math.round((Date.now() - begun) / 1_000);
    const { kind, rss, heapTotal, heapUsed, external, arrayBuffers, processor } = sample;
    appendFileSync(
      samples,
      `${[second, kind, rss, heapTotal, heapUsed, external, arrayBuffers, processor].join()}\n`,
    );
  });
  const forcing = setInterval(() => {
    if (Date.now() > begun + (minutes - FORCED_MINUTES) * 60_000) {
      child.send('collect');
    }
  }, EVERY * 1_000);
  const mixed = { readsPerMessage: 5, strangers: 0.05, late: 0.01, poison: 0.001 };
  await publishEvenly(site, broker.port, { minutes, rate, ...mixed });
  clearInterval(forcing);
  await stop();
  await site.drop();
}
