import type { Micros } from '../../base/instant.ts';
import { integers, smallints, texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { isDeviceTimeUsed } from '../tracking/observed-at.ts';
import { soughtKeys } from '../tracking/tag-key.ts';
import type { TagType } from '../tracking/tag-type.ts';
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

/** One row per asset, with a bit for each list. */
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

type Named = { id: number } | { externalKey: string } | { tag: { tagType: TagType; value: string } };

/**
 * The id of a swept location; null if there never was one. It may have been deleted while the device was offline: a
 * live one counts before a deleted one, of deleted ones the latest. Of tags with the same key the exact value counts
 * first.
 */
export async function locate(db: Connection, orgId: number, named: Named): Promise<number | null> {
  const row = await db.maybeOne(queryFor(orgId, named));
  return row?.id ?? null;
}

function queryFor(orgId: number, named: Named) {
  if ('id' in named) {
    return sql.prepared('locate-by-id', rowsOf<{ id: number }>())`
      select id from locations where org_id = ${orgId}::integer and id = ${named.id}::integer`;
  }
  if ('externalKey' in named) {
    const { externalKey } = named;
    // Two selects, each with an index of its own.
    return sql.prepared('locate-by-key', rowsOf<{ id: number }>())`
      select id from (
        (select id, 'infinity'::timestamptz as until from locations
          where org_id = ${orgId}::integer and external_key = ${externalKey}::text and deleted_at is null)
        union all
        (select id, deleted_at from locations
          where org_id = ${orgId}::integer and external_key = ${externalKey}::text and deleted_at is not null
          order by deleted_at desc limit 1)
      ) location
      order by until desc limit 1`;
  }
  const { tagType, value } = named.tag;
  const { normal, spelling, otherSpelling } = soughtKeys(tagType, value);
  return sql.prepared('locate-by-tag', rowsOf<{ id: number }>())`
    select location_id as id from tags
    where org_id = ${orgId}::integer and location_id is not null and (
      normal_key = ${normal}::text
      or tag_type = ${tagType}::text and tag_key in (${spelling}::text, ${otherSpelling}::text)
    )
    order by detached_at is null desc, value = ${value}::text desc, detached_at desc, id desc limit 1`;
}

/**
 * When a sweep was under way, from the device's times, corrected for its clock's error. As for scans, a time before
 * 2015 or well ahead of the reception means that the clock was set meanwhile: then the end becomes the reception, and
 * the beginning the end, so that no unswept time is claimed.
 *
 * @returns null if it ended before it began, by two usable times.
 */
export function sweptStretch(
  { beganAt, endedAt }: { beganAt: Micros; endedAt: Micros },
  receivedAt: Micros,
): { beganAt: Micros; endedAt: Micros } | null {
  const isUsable = (deviceTime: Micros) => isDeviceTimeUsed({ deviceTime, receivedAt });
  if (isUsable(beganAt) && isUsable(endedAt) && endedAt < beganAt) {
    return null;
  }
  const end = isUsable(endedAt) ? Math.min(endedAt, receivedAt) : receivedAt;
  return { beganAt: isUsable(beganAt) ? Math.min(beganAt, end) : end, endedAt: end };
}
