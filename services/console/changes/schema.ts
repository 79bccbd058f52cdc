import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { integer, keyFilter, searchText, timeBound } from '../../../platform/http/parameters.ts';
import { listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

const FIELDS = nullableSchema({ type: 'object' });

const CHANGE = objectOf({
  id: ID_SCHEMA,
  at: TIME_SCHEMA,
  actor: objectOf({ type: TEXT_SCHEMA, id: TEXT_SCHEMA, name: TEXT_OR_NULL }),
  action: TEXT_SCHEMA,
  resource: objectOf({
    type: TEXT_SCHEMA,
    id: { type: ['integer', 'string'] },
    external_key: TEXT_OR_NULL,
    name: TEXT_OR_NULL,
  }),
  before: FIELDS,
  after: FIELDS,
  request_id: TEXT_OR_NULL,
});

/** `next` is the cursor of the page after, which is older; null behind the oldest. */
export const CHANGES = objectOf({ data: listOf(CHANGE), next: TEXT_OR_NULL });

export const CHANGE_FILTERS = {
  since: timeBound,
  until: timeBound,
  actor_type: searchText,
  actor_id: searchText,
  resource_type: searchText,
  resource_id: searchText,
  cursor: keyFilter,
  limit: integer({ min: 1, max: 200 }, 50),
};
