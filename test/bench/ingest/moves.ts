import type pg from 'pg';
import { interleaved } from '../interleaved.ts';
import type { IngestOptions } from './options.ts';
import { type Run, run } from './run.ts';
import { onSites, report } from './throughput.ts';

/** With the move feed, what it takes to seal it included, against without, at each share of reads that are moves. */
export async function benchMoves(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const sizes = options.history.slice(0, 1);
  await onSites(serverUrl, options, sizes, async ([installed, copy]) => {
    const { client } = installed;
    // It has only what the upgrade left to do, and without the feed that would be every asset.
    await client.query('drop index positions__not_in_feed');
    for (const moves of options.moves) {
      const measured = async (isInFeed: boolean): Promise<Run> => {
        await useFeed(client, isInFeed);
        const variant = { name: '', source, readsPerMessage: 50, late: 0, poison: 0, moves };
        return run(installed, copy.url, variant, options.count);
      };
      const results = await interleaved(options.repetitions, {
        without: () => measured(false),
        'with the feed': () => measured(true),
      });
      report(`Moves on ${100 * moves} % of the reads (${source}, 50 a message)`, results, 'without');
    }
  });
}

async function useFeed(client: pg.Client, isInFeed: boolean): Promise<void> {
  await client.query('update positions set is_in_feed = $1', [isInFeed]);
  await client.query('vacuum positions');
}
