import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type DatedSmoothing, SmoothingSettings } from './settings.ts';

/**
 * Reads the settings by organization; those without any are left out. A shared lock keeps them as they are until this
 * transaction ends: a new setting waits for it, and is then dated after every scan that was recorded.
 */
export async function readSmoothing(
  db: Connection,
  orgIds: readonly number[],
): Promise<ReadonlyMap<number, SmoothingSettings>> {
  if (orgIds.length === 0) {
    return new Map();
  }
  // Two statements, sent together: a single one would read what was there before it got the lock.
  const [, rows] = await Promise.all([
    db.exec(sql.prepared('share-smoothing', NO_ROWS)`
      select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.smoothing})`),
    db.any(sql.prepared('read-smoothing', rowsOf<SmoothingRow>())`
      select org_id, location_id, micros_of_time(valid_from) as valid_from, mode,
        window_seconds, min_seconds, margin_db
      from smoothing_settings where org_id = any (${sql.binary(integers([...new Set(orgIds)]))}::integer[])
      order by id`),
  ]);
  const byOrganization = Map.groupBy(rows, ({ org_id: orgId }) => orgId);
  return new Map([...byOrganization].map(([orgId, own]) => [orgId, new SmoothingSettings(own.map(toDated))]));
}

interface SmoothingRow {
  org_id: number;
  location_id: number | null;
  valid_from: Micros;
  mode: 'on' | 'off' | 'inherit';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

function toDated(row: SmoothingRow): DatedSmoothing {
  const {
    location_id: locationId,
    valid_from: validFrom,
    mode,
    window_seconds: window,
    min_seconds: min,
  } = row;
  return {
    locationId,
    validFrom,
    smoothing:
      mode === 'on'
        ? {
            window: (window ?? 0) * MICROS_PER_SECOND,
            minimum: min === null ? null : min * MICROS_PER_SECOND,
            margin: row.margin_db,
          }
        : mode,
  };
}
