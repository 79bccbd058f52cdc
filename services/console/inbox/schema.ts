import {
  choice,
  flag,
  GIVEN_TIME_SCHEMA,
  ID_SCHEMA,
  id as idField,
  ids as idsField,
  integer,
  MAX_ID,
  TIME_SCHEMA,
  text,
} from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused, required } from '../../../base/checks/issues.ts';
import { nullableSchema, optional, type Values } from '../../../base/checks/members.ts';
import type { ReaderReference } from '../../../domain/administration/readers/reader-references.ts';
import { KEPT_KINDS } from '../../../domain/administration/rejected/kept-message.ts';
import { KEPT_STATES, type KeptState } from '../../../domain/administration/rejected/kept-page.ts';
import { UNKNOWN_TAG_SORTS } from '../../../domain/administration/unknown-tags/page.ts';
import { TAG_TYPES } from '../../../domain/tracking/tag-type.ts';
import { type Body, checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { listSchema, PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  booleanFilter,
  choiceFilter,
  idFilter,
  searchText,
  timeBound,
} from '../../../platform/http/parameters.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  OUTCOME_SCHEMA,
  objectOf,
  TAG_TYPE_SCHEMA,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

export const UNKNOWN_TAG_QUERY = {
  parameters: {
    ignored: booleanFilter(false),
    tag_type: choiceFilter(TAG_TYPES, undefined),
    reader_id: idFilter,
    q: searchText,
    first_seen_after: timeBound,
    sort: sortBy(UNKNOWN_TAG_SORTS, [{ field: 'last_seen_at', isDescending: true }]),
    ...PAGING,
  },
};

export const REJECTED_QUERY = {
  parameters: {
    state: choiceFilter<KeptState, KeptState>(KEPT_STATES, 'open'),
    kind: choiceFilter(KEPT_KINDS, undefined),
    reader_id: idFilter,
    q: searchText,
    after_id: idFilter,
    ...PAGING,
  },
};

export function readerView(id: number | null, readers: ReadonlyMap<number, ReaderReference>) {
  return id === null ? null : { id, name: readers.get(id)?.name ?? String(id) };
}

const READER_OR_NULL = nullableSchema(objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA }));

const UNKNOWN_TAG = objectOf({
  id: TEXT_SCHEMA,
  tag_type: TAG_TYPE_SCHEMA,
  value: TEXT_SCHEMA,
  count: COUNT_SCHEMA,
  first_seen_at: TIME_SCHEMA,
  last_seen_at: TIME_SCHEMA,
  is_ambiguous: FLAG_SCHEMA,
  last_read: objectOf({
    reader: READER_OR_NULL,
    antenna_port: nullableSchema({ type: 'integer' }),
    antenna_name: TEXT_OR_NULL,
    rssi: nullableSchema({ type: 'number' }),
    location_external_key: TEXT_OR_NULL,
    location_name: TEXT_OR_NULL,
  }),
});

const LIST = listSchema(UNKNOWN_TAG, PAGING);

/** `as_of` is when the list was read, in microseconds: tags of the same millisecond are on the list or come after it. */
export const UNKNOWN_TAGS = {
  ...LIST,
  properties: { ...(LIST['properties'] as object), as_of: GIVEN_TIME_SCHEMA },
};

export const ALIKE_TAGS = listOf(
  objectOf({
    tags: listOf(
      objectOf({
        id: ID_SCHEMA,
        tag_type: TAG_TYPE_SCHEMA,
        value: TEXT_SCHEMA,
        owner: objectOf({
          type: { type: 'string', enum: ['asset', 'location'] },
          id: ID_SCHEMA,
          external_key: TEXT_SCHEMA,
          name: TEXT_SCHEMA,
        }),
      }),
    ),
  }),
);

const KEPT = {
  id: ID_SCHEMA,
  kind: { type: 'string', enum: [...KEPT_KINDS] },
  reader: READER_OR_NULL,
  topic: TEXT_SCHEMA,
  reason: TEXT_SCHEMA,
  received_at: TIME_SCHEMA,
  size: COUNT_SCHEMA,
  replayed_at: nullableSchema(TIME_SCHEMA),
  dismissed_at: nullableSchema(TIME_SCHEMA),
};

export const REJECTED = objectOf(KEPT);

export const REJECTED_WHOLE = objectOf({
  ...KEPT,
  reader_format: TEXT_OR_NULL,
  size_kept: COUNT_SCHEMA,
  is_text: FLAG_SCHEMA,
  payload: TEXT_SCHEMA,
});

const TRIED = {
  format: TEXT_SCHEMA,
  outcome: OUTCOME_SCHEMA,
  scans: COUNT_SCHEMA,
  ignored: COUNT_SCHEMA,
  rejected: COUNT_SCHEMA,
  reason: TEXT_OR_NULL,
};

export const TRIED_FORMATS = listOf(objectOf(TRIED));

/** Shown of a message that may hold thousands. */
export const MOST_READS = 50;

export const TRIED_FORMAT = objectOf({
  ...TRIED,
  reads: listOf(
    objectOf({
      tag_type: TAG_TYPE_SCHEMA,
      value: TEXT_SCHEMA,
      antenna_port: { type: ['integer', 'string'] },
      rssi: nullableSchema({ type: 'number' }),
      observed_at: nullableSchema(TIME_SCHEMA),
    }),
  ),
});

/** Counts of reads; other members count messages. */
const READS = {
  recorded: COUNT_SCHEMA,
  duplicates: COUNT_SCHEMA,
  unknown: COUNT_SCHEMA,
  unplaced: COUNT_SCHEMA,
};

export const REPLAYED = objectOf({
  outcome: { type: 'string', enum: ['replayed', 'rejected'] },
  reason: TEXT_OR_NULL,
  ...READS,
});

const NEXT = nullableSchema(ID_SCHEMA);

export const REPLAYED_MANY = objectOf({
  replayed: COUNT_SCHEMA,
  rejected: COUNT_SCHEMA,
  cut: COUNT_SCHEMA,
  ...READS,
  next: NEXT,
});

export const DISMISSED_MANY = objectOf({ ids: listOf(ID_SCHEMA), next: NEXT });

export const ATTACHED = objectOf({
  tag_id: ID_SCHEMA,
  to: { type: 'string', enum: ['asset', 'location'] },
  id: ID_SCHEMA,
  external_key: TEXT_SCHEMA,
  name: TEXT_SCHEMA,
});

export const attachBody = checkedBody(
  jsonBody(
    { asset_id: optional(idField), location_id: optional(idField) },
    { exclusive: [['asset_id', 'location_id']] },
  ),
  ({ asset_id: asset, location_id: location }): Checked<{ to: 'asset' | 'location'; id: number }> => {
    if (asset !== undefined) {
      return accepted({ to: 'asset', id: asset });
    }
    return location === undefined
      ? refused(required('asset_id'))
      : accepted({ to: 'location', id: location });
  },
);

export const hideBody = jsonBody({ undo: optional(flag) });

const formatName = optional(text(255));

export const replayBody = jsonBody({ format: formatName });

/**
 * Selects messages: these, or all open ones, optionally of a kind, of a reader or with a text. In parts, each after the
 * last.
 */
const MANY = {
  ids: optional(idsField(500)),
  all: optional(flag),
  kind: optional(choice(KEPT_KINDS)),
  reader_id: optional(idField),
  q: optional(text(255)),
  after: optional(integer({ min: 0, max: MAX_ID }, { type: 'integer', minimum: 0 })),
};

type Many = Values<typeof MANY>;

export const replayManyBody = many({ ...MANY, format: formatName });

export const dismissManyBody = many({ ...MANY, undo: optional(flag) });

function many<M extends typeof MANY>(members: M): Body<Values<M>> {
  return checkedBody(jsonBody(members), (given) => saysWhich(given as Values<M> & Many));
}

function saysWhich<Given extends Many>(given: Given): Checked<Given> {
  if (given.ids === undefined && given.all !== true) {
    return refused({ ...required('ids'), message: 'ids is required, or all: true for all that are open' });
  }
  return given.ids !== undefined && given.all === true
    ? refused(invalidValue('all', 'must not be given beside ids'))
    : accepted(given);
}
