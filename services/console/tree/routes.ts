import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { type LiveTree, readLiveTree } from '../../../domain/moves/live-tree.ts';
import { answered, JsonBytes } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, inData, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

const TREE: JsonSchema = inData(
  objectOf({
    position: COUNT_SCHEMA,
    locations: listOf({
      type: 'array',
      description: 'id, parent_id, external_key, name, number of assets there itself',
      prefixItems: [ID_SCHEMA, nullableSchema(ID_SCHEMA), TEXT_SCHEMA, TEXT_SCHEMA, COUNT_SCHEMA],
      minItems: 5,
      maxItems: 5,
    }),
  }),
);

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/tree', operationId: 'readTree' },
  summary: 'All live locations, and how many assets are at each',
  description:
    'As the feed tells it up to `position`; the events after that change the counts. Up to a second old.',
  scope: 'tracking:read',
  success: answered(TREE, 'The locations'),
  problems: { conflict: 'There are too many' },
  handle: ({ context: { db, parts } }) =>
    parts.trees.read(db.orgId, () =>
      parts.insight.run(db.orgId, async (installation) =>
        treeView(await readLiveTree(installation, db.orgId)),
      ),
    ),
});

export const treeRoutes = [read];

/** Shared by all who ask within a second, so it is made once. */
function treeView({ position, locations }: LiveTree): JsonBytes {
  return new JsonBytes(Buffer.from(`{"data":{"position":${position},"locations":${locations}}}`));
}
