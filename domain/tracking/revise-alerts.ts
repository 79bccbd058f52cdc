import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import { earliest, type Touched } from './touched.ts';

/**
 * Has alerts about assets derived anew, where the organization has rules: scans that come late, or are taken back, may
 * change no history, of which the feed would tell, and yet say when an asset was read.
 */
export async function reviseAlerts(
  db: Connection,
  assets: readonly (AssetRef & { since: Micros })[],
): Promise<void> {
  if (assets.length === 0) {
    return;
  }
  await db.exec(sql.prepared('revise-alerts-of-assets', NO_ROWS)`
    insert into alert_revisions (org_id, subject, subject_id, since)
    select given.org_id, 'asset', given.asset_id, given.since
    from unnest(
      ${sql.binary(integers(assets.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(assets.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(assets.map(({ since }) => since)))}::timestamptz[]) as given (org_id, asset_id, since)
    where exists (select from rules where rules.org_id = given.org_id)`);
}

/** Assets of which scans came that are not newer than all before, since when. */
export function withLateScans(touched: readonly Touched[]): (AssetRef & { since: Micros })[] {
  return touched.flatMap(({ isInOrder, position: { orgId, assetId }, scans }) =>
    isInOrder ? [] : [{ orgId, assetId, since: earliest(scans) }],
  );
}
