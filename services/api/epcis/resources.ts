import { collectionOf } from '../../../domain/epcis/event.ts';
import { listAssetNames, listLocationNames, listTerms } from '../../../domain/epcis/list-names.ts';
import type { Base } from '../../../domain/epcis/read-names.ts';
import { route } from '../serving/context.ts';
import { answerEvents, EVENTS_QUERY, MOST_PER_PAGE, PAGED, PAGES, textInPath } from './events.ts';
import { EPCIS } from './mount.ts';

/** The standard's resources, and the parameter that each stands for. */
const RESOURCES = {
  eventTypes: 'eventType',
  epcs: 'MATCH_anyEPC',
  bizSteps: 'EQ_bizStep',
  bizLocations: 'EQ_bizLocation',
  readPoints: 'EQ_readPoint',
  dispositions: 'EQ_disposition',
} as const;

type Resource = keyof typeof RESOURCES;

export function resourceRoutes(base: Base) {
  const root = route({
    ...{ method: 'GET', path: `${EPCIS}/`, operationId: 'epcisRoot', summary: 'The resources of EPCIS' },
    ...{ scope: 'tracking:read', isInternal: true, success: PAGED },
    handle: async () => whole(['events', ...Object.keys(RESOURCES), 'capture', 'queries']),
  });
  return [root, ...(Object.keys(RESOURCES) as Resource[]).flatMap((resource) => routesOf(resource, base))];
}

function whole(member: readonly string[]) {
  return { body: collectionOf(member), next: null, search: '', base: null };
}

function routesOf(resource: Resource, base: Base) {
  const common = { method: 'GET', scope: 'tracking:read', isInternal: true, success: PAGED } as const;
  const path = `${EPCIS}/${resource}`;
  const one = { value: textInPath };
  const list = route({
    ...{ ...common, path, operationId: `epcisList_${resource}`, summary: `The ${resource}` },
    query: { parameters: PAGES },
    handle: async ({ context, query, search, signal }) => {
      const db = context.db.listing({ isBrief: true, signal: signal() });
      const { perPage, nextPageToken } = query;
      const page = { after: nextPageToken?.position ?? 0, limit: Math.min(perPage, MOST_PER_PAGE) };
      const { names, next } = await NAMES[resource](db, base, page);
      return {
        ...{ body: collectionOf(names), search, base },
        next: next === null ? null : { position: next, index: 0, head: 0 },
      };
    },
  });
  const below = route({
    ...{
      ...common,
      path: `${path}/{value}`,
      operationId: `epcisGet_${resource}`,
      summary: `One of the ${resource}`,
    },
    params: one,
    handle: async () => whole(['events']),
  });
  const events = route({
    ...{ ...common, path: `${path}/{value}/events`, operationId: `epcisEventsOf_${resource}` },
    ...{ summary: `Events of one of the ${resource}`, params: one, query: EVENTS_QUERY },
    handle: ({ context, query, params: { value }, search, signal, charge }) => {
      const name = RESOURCES[resource];
      const given = query[name];
      const both = given === undefined || given.includes(value) ? [value] : [];
      return answerEvents({
        context,
        query: { ...query, [name]: both },
        search,
        base,
        signal: signal(),
        charge,
      });
    },
  });
  return [list, below, events];
}

type ListNames = typeof listAssetNames;

const NAMES: Readonly<Record<Resource, ListNames>> = {
  eventTypes: async () => ({ names: ['ObjectEvent'], next: null }),
  epcs: listAssetNames,
  bizSteps: (db) => listTerms(db, 'biz_step'),
  bizLocations: listLocationNames,
  readPoints: listLocationNames,
  dispositions: (db) => listTerms(db, 'disposition'),
};
