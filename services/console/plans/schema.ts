import { type Field, type JsonSchema, text } from '../../../base/checks/fields.ts';
import { ID_SCHEMA, id, MAX_ID } from '../../../base/checks/id-field.ts';
import { integer } from '../../../base/checks/integer-field.ts';
import {
  accepted,
  type FieldIssue,
  invalidValue,
  MOST_LISTED,
  refused,
  tooMany,
} from '../../../base/checks/issues.ts';
import { nullable, optional } from '../../../base/checks/members.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { isArray, isJsonObject, type Json, type JsonObject } from '../../../base/json/exact-json.ts';
import { MOST_IMAGE_BYTES } from '../../../domain/master-data/plans/image/look-at-image.ts';
import {
  MOST_PLACES,
  MOST_POINTS,
  type PlanPlace,
  type Point,
} from '../../../domain/master-data/plans/places.ts';
import { mergePatchOf, type StreamedBody } from '../../../platform/http/body.ts';
import { IMAGE_TYPE } from '../../../platform/http/media-type.ts';
import { idFilter, mandatoryParameter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { REFERENCE_OR_NULL } from '../serving/reference.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

const COORDINATE: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

const PLACE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    location_id: ID_SCHEMA,
    points: {
      description: 'One: a pin; three and more: an outline. From 0 at the left and the top to 1',
      type: 'array',
      items: { type: 'array', items: COORDINATE, minItems: 2, maxItems: 2 },
      minItems: 1,
      maxItems: MOST_POINTS,
    },
  },
  required: ['location_id', 'points'],
  additionalProperties: false,
};

/** All places of a plan. Read as a whole: field by field, each would be looked for in the text from its beginning on. */
const planPlaces: Field<PlanPlace[]> = {
  schema: { type: 'array', items: PLACE_SCHEMA, maxItems: MOST_PLACES },
  mismatch: (value) => {
    if (!isArray(value)) {
      return '';
    }
    const wrong = value.findIndex((item) => !isPlace(item));
    return wrong === -1 ? null : `[${wrong}]`;
  },
  read: (value, name) => {
    const items = value as unknown as readonly GivenPlace[];
    if (items.length > MOST_PLACES) {
      return refused(tooMany(name, MOST_PLACES));
    }
    const seen = new Set<number>();
    const issues: FieldIssue[] = [];
    for (const [index, { location_id: id, points }] of items.entries()) {
      const issue =
        issueOfId(`${name}[${index}].location_id`, id, seen) ??
        issueOfPoints(`${name}[${index}].points`, points);
      if (issue !== null && issues.length < MOST_LISTED) {
        issues.push(issue);
      }
      seen.add(id);
    }
    return issues.length > 0
      ? refused(...issues)
      : accepted(items.map(({ location_id: locationId, points }) => ({ locationId, points })));
  },
};

interface GivenPlace {
  location_id: number;
  points: Point[];
}

function isPlace(item: Json): boolean {
  return (
    isJsonObject(item) &&
    Object.keys(item).length === 2 &&
    Number.isInteger(item['location_id']) &&
    hasPoints(item)
  );
}

function hasPoints({ points }: JsonObject): boolean {
  return (
    isArray(points ?? null) &&
    (points as readonly Json[]).every(
      (point) => isArray(point) && point.length === 2 && point.every((each) => typeof each === 'number'),
    )
  );
}

function issueOfId(name: string, id: number, seen: ReadonlySet<number>): FieldIssue | null {
  if (id < 1 || id > MAX_ID) {
    return invalidValue(name, `must be from 1 to ${MAX_ID}`);
  }
  return seen.has(id) ? invalidValue(name, 'is on the plan twice') : null;
}

function issueOfPoints(name: string, points: readonly Point[]): FieldIssue | null {
  if (points.length > MOST_POINTS) {
    return tooMany(name, MOST_POINTS);
  }
  if (points.length === 0 || points.length === 2) {
    return invalidValue(name, 'must be one point (a pin), or three and more (an outline)');
  }
  return points.flat().some((each) => each < 0 || each > 1)
    ? invalidValue(name, 'must lie on the plan: from 0 to 1')
    : null;
}

const MEMBERS = {
  id: ID_SCHEMA,
  name: TEXT_SCHEMA,
  location: REFERENCE_OR_NULL,
  media_type: TEXT_SCHEMA,
  width: COUNT_SCHEMA,
  height: COUNT_SCHEMA,
  size: COUNT_SCHEMA,
  digest: TEXT_SCHEMA,
  version: COUNT_SCHEMA,
  place_count: COUNT_SCHEMA,
  updated_at: TIME_SCHEMA,
};

export const PLAN = objectOf(MEMBERS);

export const PLAN_WITH_PLACES = objectOf({ ...MEMBERS, places: listOf(PLACE_SCHEMA) });

const NAME = text(255);

export const NEW_PLAN = {
  parameters: { name: mandatoryParameter(NAME), location_id: idFilter },
} as const satisfies Query;

/** `organization` is read with the session: an image element can send no header. */
export const IMAGE_QUERY = { parameters: { organization: idFilter } } as const satisfies Query;

/** Held while it arrives; {@link BodyRoom} bounds how much of an organization is. */
export const imageBody: StreamedBody<Buffer> = {
  type: IMAGE_TYPE,
  schema: { type: 'string', format: 'binary' },
  limit: MOST_IMAGE_BYTES,
  receive: async (chunks) => {
    const received: Buffer[] = [];
    for await (const chunk of chunks) {
      received.push(chunk);
    }
    return Buffer.concat(received);
  },
};

const VERSION = { min: 1, max: 2_147_483_647 };

export const planPatchBody = mergePatchOf<object>()({
  name: optional(NAME),
  location_id: nullable(id),
  version: optional(integer(VERSION, { type: 'integer', minimum: VERSION.min, maximum: VERSION.max })),
  places: optional(planPlaces),
});
