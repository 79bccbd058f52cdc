import { text } from '../../../base/checks/fields.ts';
import { ID_SCHEMA, id } from '../../../base/checks/id-field.ts';
import { integer } from '../../../base/checks/integer-field.ts';
import { nullable, optional } from '../../../base/checks/members.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { MOST_IMAGE_BYTES } from '../../../domain/master-data/plans/image/look-at-image.ts';
import type { StreamedBody } from '../../../platform/http/body.ts';
import { mergePatchOf } from '../../../platform/http/body.ts';
import { IMAGE_TYPE } from '../../../platform/http/media-type.ts';
import { idFilter, mandatoryParameter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { REFERENCE_OR_NULL } from '../serving/reference.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';
import { PLACE_SCHEMA, planPlaces } from './places-field.ts';

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
