import {
  choice,
  decimal,
  externalKey,
  ID_SCHEMA,
  instant,
  TIME_SCHEMA,
  text,
} from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import { mandatory, nullable, nullableSchema, type Values } from '../../../base/checks/members.ts';
import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { toMicros } from '../../../base/timestamps.ts';
import { LACKS } from '../../../domain/tracking/location/position-lacks.ts';
import {
  CERTAINTY,
  type Deciding,
  MOST_KINDS_TEXT,
  PROCEDURES,
  requireDeciding,
  SettingFault,
  TAG_DBM,
} from '../../../domain/tracking/location/require-setting.ts';
import type { Period } from '../../../domain/tracking/location/try-setting.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import {
  COUNT_SCHEMA,
  eventsOf,
  FLAG_SCHEMA,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
  REFERENCE,
  REFERENCE_OR_NULL,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** The longest window of a trial, in microseconds. */
const LONGEST: Micros = 7 * MICROS_PER_DAY;

const SETTING_MEMBERS = {
  location_external_key: nullable(externalKey),
  procedure: mandatory(choice(PROCEDURES)),
  certainty: nullable(decimal({ min: CERTAINTY.least, max: CERTAINTY.most })),
  tag_dbm: nullable(decimal({ min: TAG_DBM.least, max: TAG_DBM.most })),
  tag_kinds: nullable(text(MOST_KINDS_TEXT)),
};

/** Plain data: it passes between threads. */
export interface WantedSetting {
  locationExternalKey: string | null;
  deciding: Deciding;
}

export const settingBody = checkedBody(
  jsonBody({ ...SETTING_MEMBERS, from: nullable(instant) }),
  ({ from = null, ...setting }): Checked<WantedSetting & { from: Micros | null }> => {
    const wanted = readSetting(setting);
    return wanted.ok ? accepted({ ...wanted.value, from: from === null ? null : toMicros(from) }) : wanted;
  },
);

export const trialBody = checkedBody(
  jsonBody({
    ...{ ...SETTING_MEMBERS, asset_external_key: nullable(externalKey) },
    ...{ from: mandatory(instant), to: mandatory(instant) },
  }),
  ({
    from,
    to,
    asset_external_key: assetExternalKey = null,
    ...setting
  }): Checked<WantedSetting & { period: Period; assetExternalKey: string | null }> => {
    const wanted = readSetting(setting);
    const period = { from: toMicros(from), to: toMicros(to) };
    if (period.to <= period.from) {
      return refused(invalidValue('to', 'must be after `from`'));
    }
    if (period.to - period.from > LONGEST) {
      return refused(invalidValue('from', 'must be at most 7 days before `to`'));
    }
    return wanted.ok ? accepted({ ...wanted.value, period, assetExternalKey }) : wanted;
  },
);

function readSetting({
  location_external_key: locationExternalKey = null,
  procedure,
  certainty = null,
  tag_dbm: tagDbm = null,
  tag_kinds: tagKinds = null,
}: Values<typeof SETTING_MEMBERS>): Checked<WantedSetting> {
  try {
    const deciding = { procedure: procedure as Deciding['procedure'], certainty, tagDbm, tagKinds };
    return accepted({
      locationExternalKey,
      deciding: requireDeciding(deciding, { isOfLocation: locationExternalKey !== null }),
    });
  } catch (error) {
    if (error instanceof SettingFault) {
      return refused(invalidValue(error.field, error.message));
    }
    throw error;
  }
}

/** Null if position can decide, or is not set. */
const LACK = { type: ['string', 'null'], enum: [...LACKS, null] };

export const MADE_SETTINGS = listOf(
  objectOf({
    ...{ id: ID_SCHEMA, location: REFERENCE_OR_NULL },
    procedure: { type: 'string', enum: PROCEDURES },
    ...{ certainty: NUMBER_OR_NULL, tag_dbm: NUMBER_OR_NULL, tag_kinds: TEXT_OR_NULL },
    valid_from: TIME_SCHEMA,
    state: { type: 'string', enum: ['in_force', 'planned', 'ended'] },
    actor: nullableSchema(objectOf({ type: TEXT_SCHEMA, id: TEXT_SCHEMA, name: TEXT_OR_NULL })),
    position_lacks: LACK,
  }),
);

/** `tried`: null while the trial runs; ask again. */
export const PROPOSALS = listOf(
  objectOf({
    location: REFERENCE_OR_NULL,
    pair: { ...listOf(REFERENCE), minItems: 2, maxItems: 2 },
    ...{ moves: COUNT_SCHEMA, returns: COUNT_SCHEMA },
    /** The first of the other places that the setting would hold for, and how many there are. */
    ...{ others: listOf(REFERENCE), others_count: COUNT_SCHEMA },
    tried: nullableSchema(
      objectOf({ from: TIME_SCHEMA, to: TIME_SCHEMA, present: COUNT_SCHEMA, proposed: COUNT_SCHEMA }),
    ),
  }),
);

const COUNTS = {
  ...{ present: COUNT_SCHEMA, proposed: COUNT_SCHEMA },
  ...{ kept: COUNT_SCHEMA, redated: COUNT_SCHEMA, removed: COUNT_SCHEMA, added: COUNT_SCHEMA },
};

/** Location and when the stay began, in milliseconds since 1970. */
const STAYS = listOf({ ...listOf({ type: 'integer' }), minItems: 2, maxItems: 2 });

/** Events of a trial: the last is `result` or `problem`. */
export const TRIAL = eventsOf({
  progress: objectOf({ assets: COUNT_SCHEMA, of: COUNT_SCHEMA, until: TIME_SCHEMA }),
  problem: objectOf({ type: TEXT_SCHEMA, detail: TEXT_SCHEMA }),
  result: objectOf({
    covered: objectOf({
      ...{ from: TIME_SCHEMA, to: TIME_SCHEMA, scans: COUNT_SCHEMA, assets: COUNT_SCHEMA, of: COUNT_SCHEMA },
      cut_by: { type: ['string', 'null'], enum: ['scans', 'assets', 'time', null] },
      /** A trial ends before the first scan beyond these. */
      most_scans: { type: ['integer', 'null'] },
    }),
    ...COUNTS,
    ...{ returns: COUNT_SCHEMA, returns_then: COUNT_SCHEMA },
    pairs: listOf(objectOf({ from: REFERENCE, to: REFERENCE, ...COUNTS })),
    other_pairs: objectOf(COUNTS),
    moves: listOf(
      objectOf({
        change: { type: 'string', enum: ['disappears', 'appears'] },
        ...{ asset: REFERENCE, at: TIME_SCHEMA, from: REFERENCE, to: REFERENCE },
      }),
    ),
    moves_left_out: COUNT_SCHEMA,
    assets: listOf(
      objectOf({
        ...{ asset: REFERENCE, present: COUNT_SCHEMA, proposed: COUNT_SCHEMA },
        ...{ removed: COUNT_SCHEMA, added: COUNT_SCHEMA, stays: STAYS, stays_then: STAYS },
        told_until: nullableSchema(TIME_SCHEMA),
      }),
    ),
    walk: nullableSchema(
      listOf(
        objectOf({
          ...{ location: REFERENCE, seconds: COUNT_SCHEMA },
          ...{ right_percent: { type: 'number' }, right_percent_then: { type: 'number' } },
        }),
      ),
    ),
    locations: listOf(REFERENCE),
  }),
});

/** `is_recomputing`: it holds for recorded scans too, and histories are being decided again. */
export const SET = objectOf({
  ...{ valid_from: TIME_SCHEMA, valid_to: nullableSchema(TIME_SCHEMA), is_recomputing: FLAG_SCHEMA },
  position_lacks: LACK,
});
