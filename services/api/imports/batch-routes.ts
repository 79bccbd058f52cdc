import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import { type BatchResult, importBatch } from '../../../domain/master-data/imports/import-batch.ts';
import { found } from '../../../platform/http/success.ts';
import { actorOf, route } from '../serving/context.ts';
import { TOO_MANY } from '../serving/import-turns.ts';
import { assetBatchBody, BATCH_RESULTS, locationBatchBody } from './batch-schema.ts';
import { considerate } from './run-import.ts';

const ITEMS_A_TOKEN = 100;

const OF = {
  asset: { noun: 'assets', operationId: 'writeAssets', body: assetBatchBody },
  location: { noun: 'locations', operationId: 'writeLocations', body: locationBatchBody },
} as const;

export const batchRoutes = { asset: batchOf('asset'), location: batchOf('location') };

function batchOf(resource: Keyed) {
  const { noun, operationId, body } = OF[resource];
  return route({
    method: 'POST',
    path: `/api/v1/${noun}/batch`,
    operationId,
    summary: `Create and update up to 1,000 ${noun} by external key`,
    description: `An item whose \`external_key\` is live updates that row: fields that are left out stay, null clears, tags are added and never detached. Other items create.${resource === 'location' ? ' A parent may be anywhere in the batch.' : ''} Refused items leave the others alone. It costs a token for every 100 items begun.`,
    scope: `${noun}:write`,
    body,
    success: found<readonly BatchResult[]>(BATCH_RESULTS, 'What became of each item'),
    problems: {
      conflict: 'Without the refused items others would be refused again and again',
      unavailable: TOO_MANY,
    },
    handle: async ({
      context,
      body: { items, all_or_nothing, dry_run },
      requestId,
      charge,
      signal,
      confirm,
    }) => {
      await charge(Math.ceil(items.length / ITEMS_A_TOKEN) - 1);
      const work = async () => {
        await confirm();
        return importBatch(context.db, actorOf(context, requestId), resource, items, {
          ...considerate(context),
          isAllOrNothing: all_or_nothing === true,
          isDryRun: dry_run === true,
        });
      };
      return context.imports.batch(context.db.orgId, work, signal());
    },
  });
}
