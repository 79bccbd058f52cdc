import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import type { AssetRef } from '../positions.ts';
import { MAX_WINDOW } from '../smoothing/settings.ts';

/** From when on an asset's history can be told from the raw scans that are kept. Before that it stays as it is. */
export interface Recomputable {
  from: Micros;
  /** The oldest raw scan, when this was asked. */
  oldest: Micros;
}

/**
 * An asset's very first scan counts always. So if no transition is older than its oldest raw scan, all of them are kept.
 * Otherwise what was dropped bears on the scans up to a window after it. A transition without a scan at its instant and
 * location shows, too, that scans up to there were dropped (the retention may have been shorter for a while). Not so the
 * very first if it is later than the oldest scan: that one would have made an earlier, so it is only wrong.
 *
 * @param known as it was; then only what was dropped since is looked for.
 * @returns null if no raw scan is kept.
 */
export async function recomputable(
  client: Client,
  asset: AssetRef,
  known: Recomputable | null,
): Promise<Recomputable | null> {
  const oldest = await micros(client, 'oldest-scan-of-asset', OLDEST, [asset.orgId, asset.assetId]);
  if (oldest === null || known?.oldest === oldest) {
    return oldest === null ? null : known;
  }
  const unproven = await micros(client, 'last-unproven-transition', UNPROVEN, [
    asset.orgId,
    asset.assetId,
    oldest,
  ]);
  const dropped = known === null ? unproven : Math.max(unproven ?? 0, oldest);
  return { oldest, from: dropped === null ? oldest : Math.max(oldest, dropped) + MAX_WINDOW };
}

const OLDEST = `select micros_of_time(observed_at) as at from scan_events
  where org_id = $1 and asset_id = $2 order by observed_at limit 1`;

const UNPROVEN = `select micros_of_time(transition.observed_at) as at from location_transitions transition
  where transition.org_id = $1 and transition.asset_id = $2 and coalesce((
    select false from scan_events scan
    where scan.org_id = $1 and scan.asset_id = $2 and scan.observed_at = transition.observed_at
      and scan.location_id = transition.location_id
    limit 1
  ), true) and (transition.observed_at <= time_of_micros($3) or exists (
    select from location_transitions earlier
    where earlier.org_id = $1 and earlier.asset_id = $2 and earlier.observed_at < transition.observed_at
  ))
  order by transition.observed_at desc limit 1`;

async function micros(
  client: Client,
  name: string,
  text: string,
  values: readonly number[],
): Promise<Micros | null> {
  const { rows } = await client.query<{ at: Micros }>({ name, text, values: [...values] });
  return rows[0]?.at ?? null;
}
