import type { ClientBase } from 'pg';
import { createApiClient } from '../../simulation/api-client.ts';
import { historyDifferences } from '../../simulation/compare.ts';
import type { FollowedFeed } from './followed-feed.ts';

export interface FeedFaults {
  /** Positions that the consumer was told again, or never, and events before earlier ones of their asset. */
  toldAgain: number;
  skipped: number;
  inverted: number;
  /** Events without position, or that the consumer does not have. */
  untold: number;
  /** Rows of the histories that the events make, applied in order, and not of those that are stored. */
  wrongFolds: number;
  /** Assets that the report says to be elsewhere. */
  wrongReports: number;
}

export const NO_FEED_FAULTS: FeedFaults = {
  toldAgain: 0,
  skipped: 0,
  inverted: 0,
  untold: 0,
  wrongFolds: 0,
  wrongReports: 0,
};

/** Compares what a consumer made of the feed with what is stored, and with what the API reports. */
export async function findFeedFaults(
  client: ClientBase,
  { follower, apis, key }: FollowedFeed,
): Promise<FeedFaults> {
  const { fold } = follower;
  const { rows: assets } = await client.query<Stored>(HISTORIES);
  const [feed] = (await client.query<{ events: number; unsealed: number }>(EVENTS)).rows;
  const report = new Map(
    (await createApiClient(String(apis[0]?.url), key).assetLocations()).map((row) => [
      row.asset_external_key,
      row.location_external_key,
    ]),
  );
  const faults = {
    ...NO_FEED_FAULTS,
    toldAgain: fold.faults.twice,
    skipped: fold.faults.skipped,
    inverted: fold.faults.inverted,
    untold: (feed?.unsealed ?? 0) + Math.abs((feed?.events ?? 0) - fold.position),
  };
  for (const { id, asset, history } of assets) {
    const folded = fold.history(id);
    faults.wrongFolds += historyDifferences(JSON.parse(history), folded).length;
    faults.wrongReports += report.get(asset) === folded.at(-1)?.location ? 0 : 1;
  }
  return faults;
}

interface Stored {
  id: number;
  asset: string;
  /** JSON. */
  history: string;
}

/** Times as the API writes them. */
const HISTORIES = `select asset.id, asset.external_key as asset, coalesce(stored.history, '[]')::text as history
  from assets asset
  left join lateral (
    select json_agg(json_build_object(
        'at', to_char(date_trunc('milliseconds', observed_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'location', location.external_key, 'durationSeconds', duration_seconds) order by observed_at) as history
    from location_transitions transition
    join locations location on location.org_id = transition.org_id and location.id = transition.location_id
    where transition.org_id = asset.org_id and transition.asset_id = asset.id
  ) stored on true`;

const EVENTS = `select (select count(*)::int4 from moves) as events,
  (select count(*)::int4 from unsealed_moves) as unsealed`;
