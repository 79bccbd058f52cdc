import {
  choice,
  externalKey,
  ID_SCHEMA,
  integer,
  KEY_SCHEMA,
  TIME_SCHEMA,
} from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import { mandatory, nullable, optional, type Values } from '../../../base/checks/members.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { COVERAGES, MAX_GAP, MODES } from '../../../domain/presence/coverage/watches.ts';
import { READING_KINDS } from '../../../domain/tracking/reading-kind.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { COUNT_SCHEMA, FLAG_SCHEMA, listOf, objectOf } from '../serving/schemas.ts';

const GAP = { min: MAX_GAP.least / MICROS_PER_SECOND, max: MAX_GAP.most / MICROS_PER_SECOND };

const MEMBERS = {
  location_external_key: mandatory(externalKey),
  mode: mandatory(choice(MODES)),
  max_gap_seconds: nullable(integer(GAP, { type: 'integer', minimum: GAP.min, maximum: GAP.max })),
  coverage: optional(choice(COVERAGES)),
};

export const watchBody = checkedBody(
  jsonBody(MEMBERS),
  (watch): Checked<Values<typeof MEMBERS>> =>
    watch.mode === 'portal' && watch.max_gap_seconds != null
      ? refused(invalidValue('max_gap_seconds', 'must be null: assets pass a portal'))
      : accepted(watch),
);

const MEMBERS_OF_WATCH = {
  mode: { type: 'string', enum: MODES },
  max_gap_seconds: { type: ['integer', 'null'] },
  is_learned: FLAG_SCHEMA,
  coverage: { type: 'string', enum: COVERAGES },
  valid_from: TIME_SCHEMA,
};

export const WATCH = objectOf(MEMBERS_OF_WATCH);

export const WATCHES = listOf(
  objectOf({ location_id: ID_SCHEMA, external_key: KEY_SCHEMA, ...MEMBERS_OF_WATCH }),
);

/** Without an enabled antenna only sweeps notice absences. */
export const WATCHED = objectOf({ continuous: COUNT_SCHEMA, with_antennas: COUNT_SCHEMA });

export const MEASURED = listOf({ type: 'string', enum: READING_KINDS });
