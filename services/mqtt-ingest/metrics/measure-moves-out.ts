import { Gauge, type Registry } from 'prom-client';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { readPublishedLag } from '../../../domain/moves/published/published-lag.ts';
import { readPublishingFaults } from '../../../domain/moves/published/refused-feeds.ts';
import type { MovesOutFigures } from '../moves-out/publish-moves.ts';
import { freshener } from './freshener.ts';
import { measureFigures } from './measure-figures.ts';

/** Exports what this process publishes, and how far behind that is, which is read from the database at every scrape. */
export function measureMovesOut(registry: Registry, figures: () => MovesOutFigures, db: Connection): void {
  measureFigures(registry, figures, { gauges: GAUGES, counters: COUNTERS });
  const isFresh = freshener(async () => {
    lag.set((await readPublishedLag(db)).lag);
    const faults = await readPublishingFaults(db, MOST_SHOWN);
    setAside.reset();
    for (const { orgId: org } of faults) {
      setAside.set({ org }, 1);
    }
  });
  const lag: Gauge = new Gauge({
    name: 'tagtrail_moves_out_lag_seconds',
    help: 'How long the oldest event that no process has published over MQTT has been in the move feed.',
    registers: [registry],
    async collect() {
      // A database that does not answer is told of by `tagtrail_check_up`.
      await isFresh();
    },
  });
  const setAside: Gauge<'org'> = new Gauge({
    name: 'tagtrail_moves_out_set_aside',
    help: `1 for each organization whose moves wait because the broker does not take a message of theirs, or a query fails; at most ${MOST_SHOWN}.`,
    labelNames: ['org'],
    registers: [registry],
    async collect() {
      await isFresh();
    },
  });
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;

const GAUGES = [
  [
    'tagtrail_moves_out_publishing',
    '1 if this process is the one that publishes moves over MQTT.',
    'isPublishing',
  ],
  [
    'tagtrail_moves_out_behind',
    'Events of the move feed not yet published over MQTT by this process.',
    'behind',
  ],
] as const;

const COUNTERS = [
  [
    'tagtrail_moves_out_published_total',
    'Messages about moves that the broker has acknowledged.',
    'published',
  ],
] as const;
