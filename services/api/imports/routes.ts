import { invalid } from '../../../base/checks/issues.ts';
import { issuesOfFile } from '../../../domain/master-data/imports/read-rows.ts';
import type { ImportReport } from '../../../domain/master-data/imports/report.ts';
import { found } from '../../../platform/http/success.ts';
import { actorOf, route } from '../serving/context.ts';
import { TOO_MANY } from '../serving/import-turns.ts';
import { runImport } from './run-import.ts';
import { BULK, bulkBody, IMPORT_REPORT } from './schema.ts';

const bulk = route({
  method: 'POST',
  path: '/api/v1/assets/bulk',
  operationId: 'importAssets',
  summary: 'Import assets from a CSV file',
  scope: 'assets:write',
  isInternal: true,
  query: BULK,
  body: bulkBody,
  success: found<ImportReport>(IMPORT_REPORT, 'What was imported, or would be'),
  problems: {
    conflict: 'Another import of the organization is under way',
    unavailable: TOO_MANY,
  },
  handle: ({ context, query, body, requestId, charge, signal }) => {
    const source = async function* () {
      yield* body;
    };
    const work = async () => {
      const outcome = await runImport(context, actorOf(context, requestId), {
        ...{ resource: 'asset', source, charge },
        isDryRun: query.dry_run,
      });
      if (!outcome.isImported) {
        throw invalid(issuesOfFile(outcome.issues), outcome.leftOut);
      }
      return outcome.report;
    };
    return context.imports.run(context.db.orgId, work, signal());
  },
});

export const importRoutes = [bulk];
