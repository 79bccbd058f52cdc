import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { proposed } from './proposed.ts';
import { readSmoothing } from './read-settings.ts';
import { requireSmoothing, type Setting } from './require-smoothing.ts';
import { SmoothingSettings } from './settings.ts';
import { type Period, type TriedMoves, trySmoothing } from './try-smoothing.ts';

/** A setting that is tried, and on what. */
export interface Trial extends Setting {
  period: Period;
  /** One asset only; null for all. */
  assetId: number | null;
}

/** A part of what was found of an asset; its parts come one after the other, in order of time. */
export interface TriedAsset extends TriedMoves {
  assetId: number;
  externalKey: string;
}

/**
 * Tries a setting on the recorded scans of live assets, one after the other in order of their id, without storing
 * anything.
 *
 * @throws AppError `invalid_input` (see {@link requireSmoothing}).
 */
export async function* tryOnAssets(db: Connection, trial: Trial): AsyncGenerator<TriedAsset> {
  const { orgId, locationId, smoothing, period, assetId } = trial;
  requireSmoothing(smoothing, { isOfLocation: locationId !== null });
  const present = (await readSmoothing(db, [orgId])).get(orgId) ?? new SmoothingSettings([]);
  const settings = { present, proposed: proposed(present, locationId, smoothing) };
  for (let after = 0; ; ) {
    const assets = await nextAssets(db, orgId, assetId, period.from, after);
    for (const { id, external_key: externalKey } of assets) {
      for await (const tried of trySmoothing(db, { orgId, assetId: id }, period, settings)) {
        yield { assetId: id, externalKey, ...tried };
      }
    }
    const last = assets.at(-1);
    if (last === undefined) {
      return;
    }
    after = last.id;
  }
}

/** Assets that were scanned since `from`. */
async function nextAssets(
  db: Connection,
  orgId: number,
  assetId: number | null,
  from: Micros,
  after: number,
): Promise<readonly KeyRow[]> {
  return db.any(sql.prepared('next-assets-to-try', rowsOf<KeyRow>())`
    select asset.id, asset.external_key
    from assets asset
    join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
    where asset.org_id = ${orgId} and asset.deleted_at is null
      and (${assetId}::integer is null or asset.id = ${assetId}::integer)
      and position.last_seen >= time_of_micros(${from}) and asset.id > ${after}
    order by asset.id limit 500`);
}

interface KeyRow {
  id: number;
  external_key: string;
}

/** When the first and the last of an organization's recorded scans were observed; null if there are none. */
export async function recordedPeriod(db: Connection, orgId: number): Promise<Period | null> {
  const { from, to } = await db.one(sql.type(rowsOf<{ from: Micros | null; to: Micros | null }>())`
    select
      micros_of_time((select observed_at from scan_events where org_id = ${orgId} order by observed_at limit 1))
        as "from",
      micros_of_time((select observed_at from scan_events where org_id = ${orgId} order by observed_at desc limit 1))
        as "to"`);
  return from === null || to === null ? null : { from, to };
}

/** The locations' keys, by id; of deleted ones too. */
export async function locationKeys(
  db: Connection,
  orgId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const distinct = sql.binary(integers([...new Set(ids)]));
  const rows = await db.any(sql.prepared('location-keys', rowsOf<KeyRow>())`
    select id, external_key from locations where org_id = ${orgId} and id = any (${distinct}::integer[])`);
  return new Map(rows.map((row) => [row.id, row.external_key]));
}
