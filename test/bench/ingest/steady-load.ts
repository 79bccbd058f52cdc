import { committed } from './counters.ts';
import type { Installation, SourceName } from './installation.ts';
import { preparePublishers } from './publish.ts';
import { run } from './run.ts';
import { type BenchSite, READERS } from './site.ts';

const READS_A_MESSAGE = 50;

/** Publishing at an even rate, by all readers but the last, until it is stopped. */
export interface SteadyLoad {
  /** Messages a second. */
  rate: number;
  stop(): void;
}

/** Half of what ingestion can do, in messages a second of fifty reads, by two short measurements of which the second counts. */
export async function halfOfTheMost(
  installed: Installation,
  copy: BenchSite,
  source: SourceName,
  reads: number,
): Promise<number> {
  const variant = {
    ...{ name: 'most', source, readsPerMessage: READS_A_MESSAGE, late: 0, poison: 0 },
    isStamped: true,
  };
  await run(installed, copy.url, variant, reads / 2);
  const { perSecond } = await run(installed, copy.url, variant, reads);
  return perSecond / READS_A_MESSAGE / 2;
}

/** Resolves when the first messages are committed. */
export async function startSteadyLoad(
  { site, client, sources }: Installation,
  source: SourceName,
  rate: number,
  seconds: number,
): Promise<SteadyLoad> {
  const now = Date.now();
  const publishers = await preparePublishers(
    {
      port: sources[source]?.port ?? 0,
      // As many as come up in the time: a reader that waits for acknowledgements would publish less.
      window: 65_000,
      rate,
      isStamped: true,
      traffic: {
        readers: Array.from({ length: READERS - 1 }, (_, reader) => reader),
        messages: Math.ceil(rate * seconds),
        readsPerMessage: READS_A_MESSAGE,
        assets: site.assets,
        late: 0,
        poison: 0,
        start: now,
        seed: now,
      },
    },
    1,
  );
  const before = await committed(client);
  // Ended in the middle of its work, it has nothing to say.
  publishers.start().catch(() => {});
  while ((await committed(client)).messages < before.messages + rate) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { rate, stop: () => publishers.kill() };
}
