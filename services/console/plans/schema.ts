import {
  type Field,
  flag,
  ID_SCHEMA,
  id,
  integer,
  type JsonSchema,
  MAX_ID,
  TIME_SCHEMA,
  text,
} from '../../../base/checks/fields.ts';
import {
  accepted,
  type FieldIssue,
  invalidValue,
  MOST_LISTED,
  refused,
  tooMany,
} from '../../../base/checks/issues.ts';
import { nullable, nullableSchema, optional } from '../../../base/checks/members.ts';
import { isArray, isJsonObject, type Json, type JsonObject } from '../../../base/json/exact-json.ts';
import { MOST_IMAGE_BYTES } from '../../../domain/master-data/plans/image/look-at-image.ts';
import { faultOfOutline } from '../../../domain/master-data/plans/outline.ts';
import { type AntennaPin, MOST_PINNED } from '../../../domain/master-data/plans/pins.ts';
import {
  MOST_PLACES,
  MOST_POINTS,
  type PlanPlace,
  type Point,
} from '../../../domain/master-data/plans/places.ts';
import { LEAST_METRES, MOST_METRES } from '../../../domain/master-data/plans/scale.ts';
import type { Scale } from '../../../domain/tracking/location/position.ts';
import { IMAGE_TYPE, mergePatchOf, type StreamedBody } from '../../../platform/http/body.ts';
import { booleanFilter, idFilter, mandatoryParameter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import type { FileAnswer } from '../../../platform/http/stored-file.ts';
import type { Success } from '../../../platform/http/success.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  objectOf,
  REFERENCE,
  REFERENCE_OR_NULL,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

const COORDINATE: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

const POINT_SCHEMA: JsonSchema = { type: 'array', items: COORDINATE, minItems: 2, maxItems: 2 };

const PLACE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    location_id: ID_SCHEMA,
    points: {
      description: 'One: a pin; three and more: an outline. From 0 at the left and the top to 1',
      type: 'array',
      items: POINT_SCHEMA,
      minItems: 1,
      maxItems: MOST_POINTS,
    },
  },
  required: ['location_id', 'points'],
  additionalProperties: false,
};

/** All places of a plan, read as a whole: field by field, each would be searched in the text from its beginning. */
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
  return isArray(points ?? null) && (points as readonly Json[]).every(isPoint);
}

function isPoint(point: Json): boolean {
  return isArray(point) && point.length === 2 && point.every((each) => typeof each === 'number');
}

function isOff(point: Point): boolean {
  return point.some((each) => each < 0 || each > 1);
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
  if (points.some(isOff)) {
    return invalidValue(name, 'must lie on the plan: from 0 to 1');
  }
  const fault = points.length === 1 ? null : faultOfOutline(points);
  return fault === null ? null : invalidValue(name, OUTLINE_FAULTS[fault]);
}

const OUTLINE_FAULTS = {
  no_area: 'must enclose an area: draw the outline around the place',
  crosses_itself: 'must not cross itself: set the corners in their order around the place',
};

const METRE_SCHEMA: JsonSchema = { type: 'number' };

const METRES_SCHEMA: JsonSchema = { type: 'number', minimum: LEAST_METRES, maximum: MOST_METRES };

const SCALE = {
  points: {
    description: 'Two points of the plan, from 0 at the left and the top to 1',
    type: 'array',
    items: POINT_SCHEMA,
    minItems: 2,
    maxItems: 2,
  },
  metres: METRES_SCHEMA,
};

/** Two points and how far apart they are. */
const planScale: Field<Scale> = {
  schema: objectOf(SCALE),
  mismatch: (value) =>
    isJsonObject(value) &&
    Object.keys(value).length === 2 &&
    typeof value['metres'] === 'number' &&
    hasPoints(value)
      ? null
      : '',
  read: (value, name) => {
    const { points, metres } = value as unknown as { points: Point[]; metres: number };
    const [from, to] = points;
    if (points.length !== 2 || from === undefined || to === undefined || points.some(isOff)) {
      return refused(invalidValue(`${name}.points`, 'must be two points on the plan: from 0 to 1'));
    }
    return metres >= LEAST_METRES && metres <= MOST_METRES
      ? accepted({ points: [from, to], metres })
      : refused(invalidValue(`${name}.metres`, `must be ${LEAST_METRES} to ${MOST_METRES}`));
  },
};

const PINNED = { reader_id: ID_SCHEMA, port: COUNT_SCHEMA, point: POINT_SCHEMA };

interface GivenPin {
  reader_id: number;
  port: number;
  point: Point;
}

function isPin(item: Json): boolean {
  return (
    isJsonObject(item) &&
    Object.keys(item).length === 3 &&
    Number.isInteger(item['reader_id']) &&
    Number.isInteger(item['port']) &&
    isPoint(item['point'] ?? null)
  );
}

/** All antennas of a plan. */
const planAntennas: Field<AntennaPin[]> = {
  schema: { type: 'array', items: objectOf(PINNED), maxItems: MOST_PINNED },
  mismatch: (value) => {
    if (!isArray(value)) {
      return '';
    }
    const wrong = value.findIndex((item) => !isPin(item));
    return wrong === -1 ? null : `[${wrong}]`;
  },
  read: (value, name) => {
    const pins = value as unknown as readonly GivenPin[];
    if (pins.length > MOST_PINNED) {
      return refused(tooMany(name, MOST_PINNED));
    }
    const seen = new Set<string>();
    const issues: FieldIssue[] = [];
    for (const [index, { reader_id: id, port, point }] of pins.entries()) {
      const key = `${id}/${port}`;
      if (id < 1 || id > MAX_ID) {
        issues.push(invalidValue(`${name}[${index}].reader_id`, `must be from 1 to ${MAX_ID}`));
      } else if (port === 0 || port < -32_768 || port > 32_767) {
        issues.push(
          invalidValue(
            `${name}[${index}].port`,
            'must be from 1 to 32767, or the number of an antenna below 0',
          ),
        );
      } else if (seen.has(key)) {
        issues.push(invalidValue(`${name}[${index}].port`, 'is on the plan twice'));
      } else if (isOff(point)) {
        issues.push(invalidValue(`${name}[${index}].point`, 'must lie on the plan: from 0 to 1'));
      }
      seen.add(key);
    }
    return issues.length > 0
      ? refused(...issues.slice(0, MOST_LISTED))
      : accepted(pins.map(({ reader_id: readerId, port, point: [x, y] }) => ({ readerId, port, x, y })));
  },
};

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
  /** With the image's width and height in metres. */
  scale: nullableSchema(objectOf({ ...SCALE, width_m: METRE_SCHEMA, height_m: METRE_SCHEMA })),
  updated_at: TIME_SCHEMA,
};

export const PLAN = objectOf(MEMBERS);

export const PLAN_WITH_PLACES = objectOf({
  ...MEMBERS,
  places: listOf(PLACE_SCHEMA),
  antennas: listOf(objectOf({ ...PINNED, reader_name: TEXT_SCHEMA, antenna_name: TEXT_OR_NULL })),
});

/** `is_cut`: there are more. */
export const DOTS = objectOf({
  dots: listOf(
    objectOf({
      asset: REFERENCE,
      ...{ x: METRE_SCHEMA, y: METRE_SCHEMA, radius_m: METRE_SCHEMA, observed_at: TIME_SCHEMA },
    }),
  ),
  is_cut: FLAG_SCHEMA,
});

const NAME = text(255);

export const NEW_PLAN = {
  parameters: { name: mandatoryParameter(NAME), location_id: idFilter },
} as const satisfies Query;

export const DELETED_PLAN = {
  parameters: { without_position: booleanFilter(false) },
} as const satisfies Query;

/** `organization` is read with the session: an image element can send no header. */
export const IMAGE_QUERY = { parameters: { organization: idFilter } } as const satisfies Query;

export const IMAGE: Success<FileAnswer> = {
  ...{ status: 200, description: 'The image as it was sent', headers: {} },
  schema: { type: 'string', format: 'binary' },
  present: (body) => ({ body }),
};

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
  scale: nullable(planScale),
  antennas: optional(planAntennas),
  without_position: optional(flag),
});
