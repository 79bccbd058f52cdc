import { choice, decimal, externalKey } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import { mandatory, nullable, type Values } from '../../../base/checks/members.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { instant, TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { toMicros } from '../../../base/timestamps.ts';
import {
  requireSmoothing,
  type Setting,
  SmoothingFault,
} from '../../../domain/tracking/smoothing/require-smoothing.ts';
import type { Period } from '../../../domain/tracking/smoothing/try-smoothing.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { REFERENCE, REFERENCE_OR_NULL } from '../serving/reference.ts';
import {
  COUNT_SCHEMA,
  eventsOf,
  FLAG_SCHEMA,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** What a trial may be about, in microseconds. */
const LONGEST: Micros = 7 * 86_400 * MICROS_PER_SECOND;

const MODES = ['on', 'off', 'inherit'] as const;

const SETTING_MEMBERS = {
  location_external_key: nullable(externalKey),
  mode: mandatory(choice(MODES)),
  window_seconds: nullable(decimal({ min: 1, max: 600 })),
  min_seconds: nullable(decimal({ min: 1, max: 600 })),
  margin_db: nullable(decimal({ min: 0, max: 100 })),
};

/** Plain data: it passes between threads. */
export interface WantedSetting {
  locationExternalKey: string | null;
  smoothing: Setting['smoothing'];
}

export const settingBody = checkedBody(jsonBody(SETTING_MEMBERS), readSetting);

export const trialBody = checkedBody(
  jsonBody({ ...SETTING_MEMBERS, from: mandatory(instant), to: mandatory(instant) }),
  ({ from, to, ...setting }): Checked<WantedSetting & { period: Period }> => {
    const wanted = readSetting(setting);
    const period = { from: toMicros(from), to: toMicros(to) };
    if (period.to <= period.from) {
      return refused(invalidValue('to', 'must be after `from`'));
    }
    if (period.to - period.from > LONGEST) {
      return refused(invalidValue('from', 'must be at most 7 days before `to`'));
    }
    return wanted.ok ? accepted({ ...wanted.value, period }) : wanted;
  },
);

function readSetting({
  location_external_key: locationExternalKey = null,
  mode,
  window_seconds: window,
  min_seconds: minimum,
  margin_db: margin,
}: Values<typeof SETTING_MEMBERS>): Checked<WantedSetting> {
  const seconds = (value: number | null | undefined) =>
    value === null || value === undefined ? null : value * MICROS_PER_SECOND;
  const smoothing =
    mode === 'on'
      ? { window: seconds(window) ?? 0, minimum: seconds(minimum), margin: margin ?? null }
      : (mode as 'off' | 'inherit');
  try {
    requireSmoothing(smoothing, { isOfLocation: locationExternalKey !== null });
    return accepted({ locationExternalKey, smoothing });
  } catch (error) {
    if (error instanceof SmoothingFault) {
      return refused(invalidValue(error.field, error.message));
    }
    throw error;
  }
}

const SETTING = {
  location: REFERENCE_OR_NULL,
  mode: { type: 'string', enum: MODES },
  window_seconds: NUMBER_OR_NULL,
  min_seconds: NUMBER_OR_NULL,
  margin_db: NUMBER_OR_NULL,
  valid_from: TIME_SCHEMA,
};

export const MADE_SETTINGS = listOf(
  objectOf({
    id: ID_SCHEMA,
    ...SETTING,
    is_in_force: FLAG_SCHEMA,
    actor: nullableSchema(objectOf({ type: TEXT_SCHEMA, id: TEXT_SCHEMA, name: TEXT_OR_NULL })),
  }),
);

export const FLAPPING = listOf(
  objectOf({
    locations: { ...listOf(REFERENCE), minItems: 2, maxItems: 2 },
    moves: COUNT_SCHEMA,
    assets: COUNT_SCHEMA,
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
    }),
    ...COUNTS,
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
    locations: listOf(REFERENCE),
  }),
});

export const SET = objectOf({ valid_from: TIME_SCHEMA });
