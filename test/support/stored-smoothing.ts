import { MICROS_PER_SECOND } from '../../base/instant.ts';
import type { DatedSmoothing } from '../../domain/tracking/smoothing/settings.ts';
import type { TestDatabase } from './database.ts';

/** Gives an organization these settings and no others, by plain SQL. */
export async function storeSettings(
  database: TestDatabase,
  orgId: number,
  settings: readonly DatedSmoothing[],
): Promise<void> {
  await database.rows('delete from smoothing_settings where org_id = $1', [orgId]);
  for (const { locationId, validFrom, smoothing } of settings) {
    const { window = null, minimum = null, margin = null } = typeof smoothing === 'object' ? smoothing : {};
    const seconds = (micros: number | null) => (micros === null ? null : micros / MICROS_PER_SECOND);
    await database.rows(
      `insert into smoothing_settings
         (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db)
       values ($1, $2, time_of_micros($3), $4, $5, $6, $7)`,
      [
        orgId,
        locationId,
        validFrom,
        typeof smoothing === 'object' ? 'on' : smoothing,
        seconds(window),
        seconds(minimum),
        margin,
      ],
    );
  }
}
