import { integers, smallints, texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Sweep, SweptAssets } from './sweep.ts';

/**
 * Stores a sweep; waits for another transaction that is storing one with the same id.
 *
 * @returns false if there is one already.
 */
export async function storeSweep(transaction: Connection, sweep: Sweep): Promise<boolean> {
  const { orgId, id, expected, found, movedHere, missing, unknown } = sweep;
  const stored = await transaction.exec(sql.prepared('store-sweep', NO_ROWS)`
    insert into sweeps (org_id, id, handheld_id, body_sha256, received_at, location_id, began_at, ended_at,
      include_descendants, expected, found, moved_here, missing, unknown, unknown_tags)
    values (${orgId}::integer, ${id}::text, ${sweep.handheldId}::integer, ${sql.binary(sweep.bodyDigest)}::bytea,
      time_of_micros(${sweep.receivedAt}::bigint), ${sweep.locationId}::integer,
      time_of_micros(${sweep.beganAt}::bigint), time_of_micros(${sweep.endedAt}::bigint),
      ${sweep.includeDescendants}::boolean, ${distinct(expected)}::integer, ${distinct(found)}::integer,
      ${distinct(movedHere)}::integer, ${distinct(missing)}::integer, ${distinct(unknown)}::integer,
      ${sql.binary(texts(unknown))}::text[])
    on conflict (org_id, id) do nothing`);
  if (stored === 0) {
    return false;
  }
  const lists = listsByAsset(sweep);
  await transaction.exec(sql.prepared('store-swept-assets', NO_ROWS)`
    insert into sweep_assets (org_id, sweep_id, asset_id, expected, found, moved_here, missing)
    select ${orgId}::integer, ${id}::text, asset_id, lists & 1 <> 0, lists & 2 <> 0, lists & 4 <> 0, lists & 8 <> 0
    from unnest(
      ${sql.binary(integers([...lists.keys()]))}::integer[],
      ${sql.binary(smallints([...lists.values()]))}::smallint[]) as swept (asset_id, lists)
    order by asset_id`);
  return true;
}

export interface StoredSweep {
  bodyDigest: Buffer;
  receivedAt: string;
}

export async function findSweep(
  db: Connection,
  { orgId, id }: { orgId: number; id: string },
): Promise<StoredSweep | null> {
  const row = await db.maybeOne(sql.prepared(
    'find-sweep',
    rowsOf<{ body_sha256: Buffer; received_at: string }>(),
  )`
    select body_sha256, received_at from sweeps where org_id = ${orgId}::integer and id = ${id}::text`);
  return row === null ? null : { bodyDigest: row.body_sha256, receivedAt: row.received_at };
}

/** One row per asset, whatever lists it is in: a bit for each. */
function listsByAsset({ expected, found, movedHere, missing }: SweptAssets): Map<number, number> {
  const lists = new Map<number, number>();
  for (const [at, ids] of [expected, found, movedHere, missing].entries()) {
    for (const id of ids) {
      lists.set(id, (lists.get(id) ?? 0) | (1 << at));
    }
  }
  return lists;
}

function distinct(members: readonly unknown[]): number {
  return new Set(members).size;
}
