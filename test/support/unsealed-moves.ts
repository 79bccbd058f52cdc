import { expect } from 'chai';
import type { PoolClient } from '../../db/timescale/connections/client.ts';
import type { Transition } from '../../domain/tracking/history/history.ts';
import type { Scan } from '../../domain/tracking/scan.ts';
import type { TestDatabase } from './database.ts';
import { type FeedMove, folded } from './fold.ts';
import { type Memory, recordAnd, storedPosition } from './recording.ts';

export interface StoredMove extends FeedMove {
  id: number;
  part: number;
  parts: number;
  org_id: number;
  asset_id: number;
  recorded_at: number;
  last_seen: number | null;
  previous_location_id: number | null;
}

/** What is told of an asset, in order; nothing of it is sealed yet. */
export async function unsealedMoves(database: TestDatabase, assetId: number): Promise<StoredMove[]> {
  const moves = await database.rows<StoredMove & { rows: string | null }>(
    `select id, part, parts, org_id, asset_id, kind, micros_of_time(recorded_at) as recorded_at, location_id,
       micros_of_time(since) as since, micros_of_time(last_seen) as last_seen, previous_location_id,
       duration_seconds, rows::text
     from unsealed_moves where asset_id = $1 order by id, part`,
    [assetId],
  );
  return moves.map((move) => ({ ...move, rows: move.rows === null ? null : JSON.parse(move.rows) }));
}

/** An asset's history as a commit leaves it, and the last that is told of it by then. */
interface Look {
  lastId: number;
  history: Transition[];
}

/** Records a batch, and looks at the asset before the commit, while no other can change it. */
export async function recordAndLook(
  database: TestDatabase,
  scans: readonly Scan[],
  assetId: number,
  memory?: Memory,
): Promise<Look> {
  return recordAnd(database, scans, (client) => look(client, assetId), undefined, memory);
}

async function look(client: PoolClient, assetId: number): Promise<Look> {
  const [last, history] = await Promise.all([
    client.query<{ id: number }>(
      'select coalesce(max(id), 0) as id from unsealed_moves where asset_id = $1',
      [assetId],
    ),
    client.query<Transition>(
      `select micros_of_time(observed_at) as "observedAt", location_id as "locationId",
         duration_seconds as "durationSeconds"
       from location_transitions where asset_id = $1 order by observed_at`,
      [assetId],
    ),
  ]);
  return { lastId: last.rows[0]?.id ?? 0, history: history.rows };
}

/** At every commit, what is told so far makes the history, though the first of it be applied twice. */
export async function expectFeedToFold(
  database: TestDatabase,
  assetId: number,
  looks: readonly Look[],
): Promise<void> {
  const moves = await unsealedMoves(database, assetId);
  for (const { lastId, history } of looks) {
    const sofar = moves.filter(({ id }) => id <= lastId);
    expect(folded(sofar)).to.deep.equal(history);
    expect(folded([...sofar.slice(0, 1), ...sofar])).to.deep.equal(history);
  }
  const position = await storedPosition(database, assetId);
  const last = moves.at(-1);
  // An asset whose location was never decided has a position without one, and no moves.
  expect({ locationId: last?.location_id ?? null, since: last?.since ?? null }).to.deep.equal({
    locationId: position?.locationId ?? null,
    since: position?.since ?? null,
  });
  for (const [index, move] of moves.entries()) {
    const before = moves[index - 1];
    expect(move.previous_location_id).to.equal(before?.location_id ?? null);
    expect(move.recorded_at).to.be.at.least(before?.recorded_at ?? 0);
  }
}
