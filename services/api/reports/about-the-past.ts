import { ID_SCHEMA, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { accepted, invalid, invalidValue, refused } from '../../../base/checks/issues.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { StatementTimedOut } from '../../../base/errors.ts';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import type { Parameter } from '../../../platform/http/parameters.ts';

/** A time zone; UTC if there is none. */
export const timeZone: Parameter<string> = {
  schema: { type: 'string', default: 'UTC' },
  isRepeatable: false,
  read: ([value = 'UTC', ...others], name) => {
    if (others.length > 0) {
      return refused(invalidValue(name, 'must be given only once'));
    }
    const known = timeZoneNamed(value);
    return known === null
      ? refused(invalidValue(name, 'must be a time zone of the IANA database, e.g. Europe/Berlin'))
      : accepted(known);
  },
};

const ADVICE = {
  at: 'at takes too long to look back to for so many assets; name assets or locations',
  known_at:
    'known_at takes too long to go back to for so many assets: the report took too long and was cancelled; name assets, or ask for a later known_at',
  from: 'from is too long before to: the report took too long and was cancelled; ask for a narrower window, or name assets or locations',
};

/** The asset and location that begin every row of a report about the past. */
export const PAST_IDS = {
  asset_id: { ...ID_SCHEMA, description: 'The asset.' },
  asset_external_key: { ...KEY_SCHEMA, description: 'The current external key of the asset.' },
  asset_deleted_at: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'When the asset was soft-deleted. Null if it is live.',
  },
  location_id: { ...ID_SCHEMA, description: 'Where it was.' },
  location_external_key: {
    ...KEY_SCHEMA,
    description: 'The current external key of that location, also if that is deleted by now.',
  },
};

export const PAST_IDS_EXAMPLE = {
  asset_id: 17,
  asset_external_key: 'PALLET-17',
  asset_deleted_at: null,
  location_id: 4,
  location_external_key: 'DOCK-1',
};

/**
 * Runs a report. If a statement runs into its time limit, the caller must narrow the request: a retry would not help.
 *
 * @param field the parameter to change first.
 * @throws Invalid
 */
export async function orNarrower<Result>(
  field: keyof typeof ADVICE,
  report: Promise<Result>,
): Promise<Result> {
  try {
    return await report;
  } catch (error) {
    if (error instanceof StatementTimedOut) {
      throw invalid([{ field, code: 'invalid_value', message: ADVICE[field] }]);
    }
    throw error;
  }
}
