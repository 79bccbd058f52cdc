import { NO_QUERY } from '../../../platform/http/query.ts';
import type { Success } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { EPCIS } from './mount.ts';

export const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** A document of JSON-LD, with headers of its own. */
export const DOCUMENT: Success<object> = {
  status: 200,
  description: 'The document',
  schema: null,
  headers: {},
  present: (body) => ({ body }),
};

export function collection(member: readonly string[]) {
  return { '@context': CONTEXT, type: 'Collection', member };
}

const root = route({
  method: 'GET',
  path: `${EPCIS}/`,
  operationId: 'epcisRoot',
  summary: 'The resources of EPCIS',
  scope: 'tracking:read',
  isInternal: true,
  query: NO_QUERY,
  success: DOCUMENT,
  handle: async () => collection(RESOURCES),
});

const RESOURCES = [
  ...['events', 'eventTypes', 'epcs', 'bizSteps', 'bizLocations', 'readPoints', 'dispositions'],
  ...['capture', 'queries'],
];

/** EPCIS 2.0. Not in the API's own description: that of the standard holds. */
export const EPCIS_ROUTES = [root];
