import { invalid } from '../../../base/checks/issues.ts';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { importFile } from '../../../domain/master-data/imports/import-file.ts';
import type { ImportReport } from '../../../domain/master-data/imports/report.ts';
import { found } from '../../../platform/http/success.ts';
import { actorOf } from '../serving/actor.ts';
import { route } from '../serving/context.ts';
import { QUEUE, TOO_MANY } from '../serving/import-turns.ts';
import { BULK, bulkBody, IMPORT_REPORT } from './schema.ts';

/** Rows per token of the rate limit; the first token is that of the request. */
const ROWS_A_TOKEN = 1_000;

/** Module of the worker thread's `readRow`. */
const ROW_THREAD = import.meta.resolve('./row-thread.ts');

const bulk = route({
  method: 'POST',
  path: '/api/v1/assets/bulk',
  operationId: 'importAssets',
  summary: 'Import assets from a CSV file',
  scope: 'assets:write',
  isInternal: true,
  query: BULK,
  params: {},
  body: bulkBody,
  success: found<ImportReport>(IMPORT_REPORT, 'What was imported, or would be'),
  problems: {
    conflict: 'Another import of the organization is under way',
    unavailable: TOO_MANY,
  },
  handle: ({ context, query, body, requestId, charge, signal }) => {
    const work = async () => {
      const source = async function* () {
        yield* body;
      };
      const outcome = await importFile(context.db, actorOf(context, requestId), 'asset', source, {
        isDryRun: query.dry_run,
        heap: context.imports.heap,
        heavy: {
          same: context.sameJson,
          readLargeRow: (argument) => context.inThread({ module: ROW_THREAD, name: 'readRow', argument }),
        },
        pause: () => expensiveTurns.pause(context.db.orgId, 'import', QUEUE),
        admit: (rows) => charge(Math.ceil(rows / ROWS_A_TOKEN) - 1),
      });
      if (!outcome.isImported) {
        throw invalid(outcome.issues, outcome.leftOut);
      }
      return outcome.report;
    };
    return context.imports.run(context.db.orgId, work, signal());
  },
});

export const importRoutes = [bulk];
