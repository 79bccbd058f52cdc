import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { earliest, type Touched } from './touched.ts';

/**
 * Has alerts about assets of which late scans came derived anew, where the organization has rules: late scans that change no
 * history are not told by the feed, but say that an asset was read when it seemed not to be.
 */
export async function reviseAlerts(db: Connection, touched: readonly Touched[]): Promise<void> {
  const late = touched.filter(({ isInOrder }) => !isInOrder);
  if (late.length === 0) {
    return;
  }
  await db.exec(sql.prepared('revise-alerts-of-late', NO_ROWS)`
    insert into alert_revisions (org_id, subject, subject_id, since)
    select given.org_id, 'asset', given.asset_id, given.since
    from unnest(
      ${sql.binary(integers(late.map(({ position }) => position.orgId)))}::integer[],
      ${sql.binary(integers(late.map(({ position }) => position.assetId)))}::integer[],
      ${sql.binary(timestamps(late.map(({ scans }) => earliest(scans))))}::timestamptz[])
      as given (org_id, asset_id, since)
    where exists (select from rules where rules.org_id = given.org_id)`);
}
