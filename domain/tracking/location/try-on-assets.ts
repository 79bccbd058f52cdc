import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { locationsBelow } from './locations-below.ts';
import { readSite, settingOf } from './read-site.ts';
import { type Deciding, requireDeciding } from './require-setting.ts';
import { type Period, type TriedMoves, type TriedSites, trySetting } from './try-setting.ts';

export interface Trial {
  orgId: number;
  /** Tried on this location and all below it that have no setting of their own; null for the organization. */
  locationId: number | null;
  deciding: Deciding;
  /** The setting is tried as if it held from its beginning on. */
  period: Period;
  /** Null for all assets. */
  assetId: number | null;
  /** Asked after each asset, seen in the period or not, with how many there have been: false ends the trial. */
  goesOn?: (looked: number) => boolean;
}

/** Part of the result of an asset. Parts are in order of time. */
export interface TriedAsset extends TriedMoves {
  assetId: number;
  externalKey: string;
}

/**
 * Tries a setting on the recorded scans of live assets, ordered by id, and stores nothing. Assets without scans at the
 * location or below are not affected, unless it changes from when on persons' scans come first at their instants.
 *
 * @param sites those of {@link sitesToTry}.
 */
export async function* tryOnAssets(
  db: Connection,
  { orgId, locationId, period, assetId, goesOn }: Trial,
  sites: TriedSites,
): AsyncGenerator<TriedAsset> {
  const bearsOnPersons = sites.present.since !== sites.proposed.since;
  let looked = 0;
  for (let after = 0; ; ) {
    const assets = await nextAssets(db, { orgId, locationId, assetId, period, bearsOnPersons }, after);
    for (const { id, external_key: externalKey, was_seen: wasSeen } of assets) {
      if (wasSeen === true) {
        for await (const tried of trySetting(db, { orgId, assetId: id }, period, sites)) {
          yield { assetId: id, externalKey, ...tried };
        }
      }
      looked += 1;
      if (goesOn?.(looked) === false) {
        return;
      }
    }
    const last = assets.at(-1);
    if (last === undefined) {
      return;
    }
    after = last.id;
  }
}

/** Live assets that may have been seen in the period. */
export async function countAssetsToTry(
  db: Connection,
  { orgId, assetId }: Pick<Trial, 'orgId' | 'assetId'>,
  { from }: Period,
): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from positions position
    join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
    where position.org_id = ${orgId} and asset.deleted_at is null and position.last_seen >= time_of_micros(${from})
      and (${assetId}::integer is null or asset.id = ${assetId}::integer)`);
  return count;
}

/**
 * `limit` in the subquery makes PostgreSQL look up each asset on its own: a join might read all of the period's scans.
 */
async function nextAssets(
  db: Connection,
  {
    orgId,
    locationId,
    assetId,
    period: { from, to },
    bearsOnPersons,
  }: Omit<Trial, 'deciding' | 'goesOn'> & { bearsOnPersons: boolean },
  after: number,
): Promise<readonly (KeyRow & { was_seen: boolean | null })[]> {
  const isTried =
    locationId === null
      ? sql.fragment`true`
      : sql.fragment`(scan.location_id in ${locationsBelow(orgId, locationId)}
          or ${bearsOnPersons} and scan.handheld_id is not null)`;
  return db.any(sql.type(rowsOf<KeyRow & { was_seen: boolean | null }>())`
    select asset.id, asset.external_key, (
      select true from scan_events scan
      where scan.org_id = asset.org_id and scan.asset_id = asset.id
        and scan.observed_at between time_of_micros(${from}) and time_of_micros(${to}) and ${isTried} limit 1
    ) as was_seen
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

/**
 * From the first to the last of the organization's raw scans; null if there are none. Readers' and handhelds' scans
 * each have an index by time; no index has both.
 */
export async function recordedPeriod(db: Connection, orgId: number): Promise<Period | null> {
  const { from, to } = await db.one(sql.type(rowsOf<{ from: Micros | null; to: Micros | null }>())`
    select
      micros_of_time(least(
        (select observed_at from scan_events
         where org_id = ${orgId} and reader_id is not null order by observed_at limit 1),
        (select observed_at from scan_events
         where org_id = ${orgId} and submission_id is not null order by observed_at limit 1)
      )) as "from",
      micros_of_time(greatest(
        (select observed_at from scan_events
         where org_id = ${orgId} and reader_id is not null order by observed_at desc limit 1),
        (select observed_at from scan_events
         where org_id = ${orgId} and submission_id is not null order by observed_at desc limit 1)
      )) as "to"`);
  return from === null || to === null ? null : { from, to };
}

/** The last day of the organization, or as much of it as has that many reads of readers. */
export async function recentPeriod(db: Connection, orgId: number, most: number): Promise<Period> {
  return db.one(sql.type(rowsOf<Period>())`
    select micros_of_time(greatest(now() - interval '1 day', (
      select observed_at from scan_events
      where org_id = ${orgId} and reader_id is not null and observed_at between now() - interval '1 day' and now()
      order by observed_at desc offset ${most} limit 1
    ))) as "from", micros_of_time(now()) as "to"`);
}

/** By id, including deleted locations. */
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

/**
 * The site as it is, and as it would be if the setting held from the beginning of the period on.
 *
 * @throws AppError `invalid_input` (see {@link requireDeciding}).
 */
export async function sitesToTry(
  db: Connection,
  { orgId, locationId, deciding, period }: Pick<Trial, 'orgId' | 'locationId' | 'deciding' | 'period'>,
): Promise<TriedSites> {
  const wanted = requireDeciding(deciding, { isOfLocation: locationId !== null });
  const present = await readSite(db, orgId);
  const proposed = present.withSettings([
    // One that begins at the same instant stays, as it does where a setting is made: the last one of an instant counts.
    ...present.settings.filter((each) => each.locationId !== locationId || each.validFrom <= period.from),
    {
      locationId,
      validFrom: period.from,
      setting: settingOf({ ...wanted, tag_dbm: wanted.tagDbm, tag_kinds: wanted.tagKinds }),
    },
  ]);
  return { present, proposed };
}
