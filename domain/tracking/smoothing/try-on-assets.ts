import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { proposed } from './proposed.ts';
import { readSmoothing } from './read-settings.ts';
import { requireSmoothing, type Setting } from './setting.ts';
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
export async function* tryOnAssets(client: Client, trial: Trial): AsyncGenerator<TriedAsset> {
  const { orgId, locationId, smoothing, period, assetId } = trial;
  requireSmoothing(smoothing, { isOfLocation: locationId !== null });
  const present = (await readSmoothing(client, [orgId])).get(orgId) ?? new SmoothingSettings([]);
  const settings = { present, proposed: proposed(present, locationId, smoothing) };
  for (let after = 0; ; ) {
    const assets = await nextAssets(client, orgId, assetId, period.from, after);
    for (const { id, externalKey } of assets) {
      for await (const tried of trySmoothing(client, { orgId, assetId: id }, period, settings)) {
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
  client: Client,
  orgId: number,
  assetId: number | null,
  from: Micros,
  after: number,
): Promise<{ id: number; externalKey: string }[]> {
  const { rows } = await client.query<{ id: number; externalKey: string }>({
    name: 'next-assets-to-try',
    text: `select asset.id, asset.external_key as "externalKey"
      from assets asset
      join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
      where asset.org_id = $1 and asset.deleted_at is null and ($2::integer is null or asset.id = $2)
        and position.last_seen >= time_of_micros($3) and asset.id > $4
      order by asset.id limit 500`,
    values: [orgId, assetId, from, after],
  });
  return rows;
}

/** When the first and the last of an organization's recorded scans were observed; null if there are none. */
export async function recordedPeriod(client: Client, orgId: number): Promise<Period | null> {
  const { rows } = await client.query<{ from: Micros | null; to: Micros | null }>(
    `select micros_of_time((select observed_at from scan_events where org_id = $1 order by observed_at limit 1))
         as "from",
       micros_of_time((select observed_at from scan_events where org_id = $1 order by observed_at desc limit 1))
         as "to"`,
    [orgId],
  );
  const { from = null, to = null } = rows[0] ?? {};
  return from === null || to === null ? null : { from, to };
}

/** The locations' keys, by id; of deleted ones too. */
export async function locationKeys(
  client: Client,
  orgId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ id: number; externalKey: string }>({
    name: 'location-keys',
    text: `select id, external_key as "externalKey" from locations where org_id = $1 and id = any ($2::integer[])`,
    values: [orgId, [...new Set(ids)]],
  });
  return new Map(rows.map(({ id, externalKey }) => [id, externalKey]));
}
