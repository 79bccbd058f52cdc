import type { DatedSetting, Setting } from '../../domain/tracking/location/site.ts';
import type { TestDatabase } from './database.ts';

export const STRENGTH: Setting = { procedure: 'strength', certainty: 1 };

/** Gives an organization these settings and no others, by plain SQL. */
export async function storeSettings(
  database: TestDatabase,
  orgId: number,
  settings: readonly DatedSetting[],
): Promise<void> {
  await database.rows('delete from location_settings where org_id = $1', [orgId]);
  for (const { locationId, validFrom, setting } of settings) {
    const made = setting === 'inherit' ? { procedure: setting } : setting;
    await database.rows(
      `insert into location_settings (org_id, location_id, valid_from, procedure, certainty, tag_dbm)
       values ($1, $2, time_of_micros($3), $4, $5, $6)`,
      [
        orgId,
        locationId,
        validFrom,
        made.procedure,
        'certainty' in made ? made.certainty : null,
        'tagDbm' in made ? made.tagDbm : null,
      ],
    );
  }
}
