import { append } from '../../../base/append.ts';
import { type JsonSchema, text } from '../../../base/checks/fields.ts';
import { accepted, invalidValue, refused, tooMany } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { documentOf, type ObjectEvent } from '../../../domain/epcis/event.ts';
import { filterOf } from '../../../domain/epcis/filter.ts';
import {
  type EventPage,
  type EventsWanted,
  type Place,
  readEvents,
} from '../../../domain/epcis/read-events.ts';
import type { Base } from '../../../domain/epcis/read-names.ts';
import {
  booleanFilter,
  choiceFilter,
  integer,
  mandatoryParameter,
  microsBound,
  type Parameter,
} from '../../../platform/http/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import type { Success } from '../../../platform/http/success.ts';
import { type ApiContext, route } from '../serving/context.ts';
import { EPCIS } from './mount.ts';

/** Values of a parameter, and their characters. */
const MOST_VALUES = 100;
const MOST_LENGTH = 512;

const STRING: JsonSchema = { type: 'string' };

/** Values between vertical bars; given several times, those of each. */
const values: Parameter<string[] | undefined> = {
  schema: { type: 'array', items: STRING },
  isRepeatable: true,
  read: (given, name) => {
    const read = given.flatMap((each) => each.split('|'));
    if (read.some((value) => value === '' || value.length > MOST_LENGTH)) {
      return refused(invalidValue(name, `must have 1 to ${MOST_LENGTH} characters in each value`));
    }
    return read.length > MOST_VALUES
      ? refused(tooMany(name, MOST_VALUES))
      : accepted(read.length === 0 ? undefined : read);
  },
};

/** Names of one thing each, not patterns of names. */
const epcs: Parameter<string[] | undefined> = {
  ...values,
  read: (given, name) =>
    given.some((each) => each.includes('urn:epc:idpat:'))
      ? refused(invalidValue(name, 'must name things one by one: patterns are not supported'))
      : values.read(given, name),
};

/** Events in a page, and those that a query reads at once. */
export const MOST_PER_PAGE = 200;
const MOST_AT_ONCE = 1_000;

export const pageToken: Parameter<Place | undefined> = {
  schema: { type: 'string', pattern: String.raw`^\d{1,16}\.\d{1,16}\.\d{1,16}$` },
  isRepeatable: false,
  read: ([given, ...others], name) => {
    if (given === undefined) {
      return accepted(undefined);
    }
    const [, position, index, head] = /^(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/.exec(given)?.map(Number) ?? [];
    return others.length > 0 || position === undefined || index === undefined || head === undefined
      ? refused(invalidValue(name, 'must be the nextPageToken of an answer'))
      : accepted({ position, index, head });
  },
};

export const PAGES = {
  perPage: integer({ min: 1, max: Number.POSITIVE_INFINITY }, 30),
  nextPageToken: pageToken,
};

const NOT_SUPPORTED = [
  ...['EQ_persistentDisposition_set', 'EQ_persistentDisposition_unset', 'WD_readPoint', 'WD_bizLocation'],
  ...['EQ_transformationID', 'MATCH_parentID', 'MATCH_inputEPC', 'MATCH_outputEPC', 'MATCH_epcClass'],
  ...['MATCH_inputEPCClass', 'MATCH_outputEPCClass', 'MATCH_anyEPCClass', 'EQ_quantity', 'GT_quantity'],
  ...['GE_quantity', 'LT_quantity', 'LE_quantity', 'GE_startTime', 'LT_startTime'],
  ...['GE_endTime', 'LT_endTime', 'EQ_type', 'EQ_deviceID', 'EQ_dataProcessingMethod', 'EQ_microorganism'],
  ...['EQ_chemicalSubstance', 'EQ_bizRules', 'EQ_stringValue', 'EQ_hexBinaryValue', 'EQ_uriValue'],
  ...['EQ_booleanValue', 'stream', 'second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'],
  ...['reportIfEmpty', 'initialRecordTime'],
];

export const EVENTS_QUERY = {
  parameters: {
    eventType: values,
    GE_eventTime: microsBound,
    LT_eventTime: microsBound,
    GE_recordTime: microsBound,
    LT_recordTime: microsBound,
    EQ_action: values,
    EQ_bizStep: values,
    EQ_disposition: values,
    EQ_readPoint: values,
    EQ_bizLocation: values,
    MATCH_epc: epcs,
    MATCH_anyEPC: epcs,
    EQ_eventID: values,
    EXISTS_errorDeclaration: booleanFilter(undefined),
    GE_errorDeclarationTime: microsBound,
    LT_errorDeclarationTime: microsBound,
    EQ_errorReason: values,
    EQ_correctiveEventID: values,
    orderBy: choiceFilter(['eventTime', 'recordTime'], undefined),
    orderDirection: choiceFilter(['ASC', 'DESC'], undefined),
    eventCountLimit: integer({ min: 1, max: MOST_AT_ONCE }, undefined),
    maxEventCount: integer({ min: 1, max: 2_147_483_647 }, undefined),
    ...PAGES,
  },
  exclusive: [['eventCountLimit', 'maxEventCount']],
  needs: { eventCountLimit: 'orderBy' },
  unsupported: Object.fromEntries(
    NOT_SUPPORTED.map((name) => [name, `${name} is a parameter of the standard that is not supported here`]),
  ),
} as const satisfies Query;

export type EventsQuery = ParameterValues<(typeof EVENTS_QUERY)['parameters']>;

/** A page of a resource, with the token of the next one. */
interface Paged {
  body: object;
  next: Place | null;
  search: string;
  base: Base;
}

/** Tokens are good for as long as events are kept: they say no more than a place in the feed. */
const TOKEN_IS_GOOD_FOR = 86_400_000;

export const PAGED: Success<Paged> = {
  status: 200,
  description: 'A page',
  schema: null,
  headers: {},
  present: ({ body, next, search, base }, path) => {
    if (next === null) {
      return { body };
    }
    const query = new URLSearchParams(search);
    query.set('nextPageToken', `${next.position}.${next.index}.${next.head}`);
    return {
      body,
      headers: {
        Link: `<${base ?? ''}${path}?${query}>; rel="next"`,
        'GS1-Next-Page-Token-Expires': new Date(Date.now() + TOKEN_IS_GOOD_FOR).toISOString(),
      },
    };
  },
};

interface Answering {
  context: ApiContext;
  query: EventsQuery;
  search: string;
  base: Base;
  signal: AbortSignal;
  charge(tokens: number): Promise<void>;
  queryName?: string;
}

export async function answerEvents({
  context,
  query,
  search,
  base,
  signal,
  charge,
  queryName,
}: Answering): Promise<Paged> {
  const read = readCharged(context, { base, signal, charge });
  const { events, next } = await pageOf(read, query);
  return { body: documentOf(events, { queryName }), next, search, base };
}

type Read = (wanted: EventsWanted) => Promise<EventPage>;

/** Takes tokens for what is looked through, so that queries which find little of much cost what they take. */
function readCharged(
  { db }: ApiContext,
  { base, signal, charge }: Pick<Answering, 'base' | 'signal' | 'charge'>,
): Read {
  const listing = db.listing({ isBrief: false, signal });
  return async (wanted) => {
    const page = await readEvents(listing, base, wanted);
    await charge(Math.floor(page.looked / MOVES_OF_TOKEN));
    return page;
  };
}

const MOVES_OF_TOKEN = 1_000;

/**
 * Queries that limit or sort what they find are read at once, so that they find all of it or are refused; others go page
 * by page through the feed.
 */
async function pageOf(read: Read, query: EventsQuery): Promise<Pick<EventPage, 'events' | 'next'>> {
  const { orderBy, orderDirection, eventCountLimit, maxEventCount, nextPageToken: begin } = query;
  const filter = filterOf(query);
  const isDescending = (orderDirection ?? (orderBy === undefined ? 'ASC' : 'DESC')) === 'DESC';
  const limit = Math.min(query.perPage, MOST_PER_PAGE);
  const isSorted = orderBy === 'eventTime';
  if (!isSorted && eventCountLimit === undefined && maxEventCount === undefined) {
    const page = await read({ filter, isDescending, limit, begin });
    if (begin !== undefined && !isDescending && begin.position < page.oldest) {
      throw new Problem('feed_expired', 'Events of this page are not kept any more: begin the query again');
    }
    return page;
  }
  const most = isSorted ? MOST_AT_ONCE : (eventCountLimit ?? Math.min(maxEventCount ?? 0, MOST_AT_ONCE));
  const { events, next, head } = await read({ filter, isDescending, limit: most, head: begin?.head });
  const isAll = next === null || (!isSorted && events.length === eventCountLimit);
  if (!isAll || events.length > (maxEventCount ?? MOST_AT_ONCE)) {
    throw new Problem(
      'payload_too_large',
      `More than ${most} events match, or there is more to look through than one answer may take: narrow the query by MATCH_epc or GE_recordTime`,
    );
  }
  if (isSorted) {
    const sign = isDescending ? -1 : 1;
    events.sort((one, other) => sign * (Date.parse(one.eventTime) - Date.parse(other.eventTime)));
  }
  const whole = events.slice(0, eventCountLimit);
  const offset = begin?.index ?? 0;
  return {
    events: whole.slice(offset, offset + limit),
    next: offset + limit < whole.length ? { position: 0, index: offset + limit, head } : null,
  };
}

/** Moves that are looked through for one event, the latest first. */
const LOOKED_AT_FOR_ID = 20_000;

export const textInPath = mandatoryParameter(text(MOST_LENGTH));

export function eventRoutes(base: Base) {
  const list = route({
    method: 'GET',
    path: `${EPCIS}/events`,
    operationId: 'epcisListEvents',
    summary: 'Events',
    scope: 'tracking:read',
    isInternal: true,
    query: EVENTS_QUERY,
    success: PAGED,
    handle: ({ context, query, search, signal, charge }) =>
      answerEvents({ context, query, search, base, signal: signal(), charge }),
  });
  const one = route({
    method: 'GET',
    path: `${EPCIS}/events/{event_id}`,
    operationId: 'epcisGetEvent',
    summary: 'One event, and what became of it',
    scope: 'tracking:read',
    isInternal: true,
    params: { event_id: textInPath },
    success: PAGED,
    handle: async ({ context, params: { event_id: id }, search, signal, charge }) => {
      const read = readCharged(context, { base, signal: signal(), charge });
      const filter = filterOf({ EQ_eventID: [id] });
      const events: ObjectEvent[] = [];
      const isThere = () => events.some(({ errorDeclaration }) => errorDeclaration === undefined);
      let begin: Place | null | undefined;
      for (let looked = 0; begin !== null && !isThere() && looked < LOOKED_AT_FOR_ID; ) {
        const page = await read({ filter, isDescending: true, limit: MOST_PER_PAGE, begin });
        append(events, page.events);
        begin = page.next;
        looked += page.looked;
      }
      if (!isThere() && begin !== null) {
        throw new Problem(
          'payload_too_large',
          'There is too much to look through: ask /events for EQ_eventID, and page by page, or with MATCH_epc',
        );
      }
      if (events.length === 0) {
        throw notFound(`No event has the id ${id}`);
      }
      return { body: documentOf(events), next: null, search, base };
    },
  });
  return [list, one];
}
