import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import {
  listAncestors,
  listChildren,
  listDescendants,
} from '../../../domain/master-data/locations/list-tree.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { LOCATION_ID } from '../items/item-schema.ts';
import { route } from '../serving/context.ts';
import { LOCATION, TREE } from './schema.ts';
import { locationView } from './view.ts';

const ABOVE_EXAMPLE = {
  id: 1,
  external_key: 'WAREHOUSE',
  name: 'Warehouse',
  description: null,
  parent_id: null,
  parent_external_key: null,
};
const BELOW_EXAMPLE = {
  id: 9,
  external_key: 'DOCK-1-DOOR-1',
  name: 'Door 1',
  description: null,
  parent_id: 4,
  parent_external_key: 'DOCK-1',
};

interface Way {
  name: 'ancestors' | 'children' | 'descendants';
  operationId: string;
  summary: string;
  description: string;
  example: Readonly<Record<string, unknown>>;
  list: typeof listAncestors;
}

const treeRoute = ({ name, operationId, summary, description, example, list }: Way) =>
  route({
    method: 'GET',
    path: `/api/v1/locations/{location_id}/${name}`,
    operationId,
    summary,
    description,
    scope: 'locations:read',
    query: TREE,
    params: LOCATION_ID,
    find: {
      missing: 'Location not found',
      row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
    },
    success: listed(LOCATION, 'A page of locations', example),
    problems: { unavailable: TOO_MANY_LARGE },
    handle: async ({ context, query, row: id, signal }) =>
      listBody(await list(context.db, id, query, context.readLarge, signal()), query, locationView),
  });

export const treeRoutes = [
  treeRoute({
    name: 'ancestors',
    operationId: 'listLocationAncestors',
    summary: 'List the locations above a location, nearest first',
    description: 'Up to the root, in this one order.',
    example: ABOVE_EXAMPLE,
    list: listAncestors,
  }),
  treeRoute({
    name: 'children',
    operationId: 'listLocationChildren',
    summary: 'List the locations directly below a location',
    description: 'In order of external key, whatever the case.',
    example: BELOW_EXAMPLE,
    list: listChildren,
  }),
  treeRoute({
    name: 'descendants',
    operationId: 'listLocationDescendants',
    summary: 'List everything below a location, depth first',
    description:
      'Each location is followed by the locations below it; children are in order of external key, regardless of case.',
    example: BELOW_EXAMPLE,
    list: listDescendants,
  }),
];
