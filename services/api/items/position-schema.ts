import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { isJsonObject, type Json } from '../../../base/json/exact-json.ts';

const METRES: JsonSchema = { type: 'number' };

/** Contract 2.2 and 2.5. */
export const POSITION: JsonSchema = nullableSchema({
  type: 'object',
  properties: {
    plan_location_id: { ...ID_SCHEMA, description: 'The location whose plan it is on.' },
    x: { ...METRES, description: 'Metres from the left edge of the plan.' },
    y: { ...METRES, description: 'Metres from the top edge of the plan.' },
    radius_m: { ...METRES, minimum: 0, description: 'Metres around it: about two in three are within.' },
    observed_at: { ...TIME_SCHEMA, description: 'When it was there.' },
  },
  required: ['plan_location_id', 'x', 'y', 'radius_m', 'observed_at'],
  description:
    'Where on a plan it is, if its location is decided by `position`. Null else, and once it has left the plan.',
});

/** Equal for equal positions; null is none. Anything else equals no position. */
export function positionInBrief(value: Json): string | null {
  if (value === null) {
    return null;
  }
  const { plan_location_id, x, y, radius_m, observed_at, ...others } = isJsonObject(value)
    ? value
    : { others: value };
  return JSON.stringify([plan_location_id, x, y, radius_m, observed_at, Object.keys(others)]);
}
