import { listBody } from '../../shared/http/lists.ts';
import { idInPath } from '../../shared/http/parameters.ts';
import { listed } from '../../shared/http/success.ts';
import { route } from '../context.ts';
import { findLiveLocationId } from './queries.ts';
import { LOCATION, TREE } from './schema.ts';
import { listAncestors, listChildren, listDescendants } from './tree.ts';
import { locationView } from './view.ts';

const ancestors = route({
  method: 'GET',
  path: '/api/v1/locations/{location_id}/ancestors',
  operationId: 'listLocationAncestors',
  summary: 'List the locations above a location, nearest first',
  scope: 'locations:read',
  query: TREE,
  params: { location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLiveLocationId(context.db, params.location_id),
  },
  success: listed(LOCATION, 'A page of locations'),
  handle: async ({ context, query, row: id }) =>
    listBody(await listAncestors(context.db, id, query), query, locationView),
});

const children = route({
  method: 'GET',
  path: '/api/v1/locations/{location_id}/children',
  operationId: 'listLocationChildren',
  summary: 'List the locations directly below a location',
  scope: 'locations:read',
  query: TREE,
  params: { location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLiveLocationId(context.db, params.location_id),
  },
  success: listed(LOCATION, 'A page of locations'),
  handle: async ({ context, query, row: id }) =>
    listBody(await listChildren(context.db, id, query), query, locationView),
});

const descendants = route({
  method: 'GET',
  path: '/api/v1/locations/{location_id}/descendants',
  operationId: 'listLocationDescendants',
  summary: 'List everything below a location, depth first',
  scope: 'locations:read',
  query: TREE,
  params: { location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLiveLocationId(context.db, params.location_id),
  },
  success: listed(LOCATION, 'A page of locations'),
  handle: async ({ context, query, row: id }) =>
    listBody(await listDescendants(context.db, id, query), query, locationView),
});

export const treeRoutes = [ancestors, children, descendants];
