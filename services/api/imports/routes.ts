import { invalid, Problem } from '../../shared/http/problem.ts';
import { found } from '../../shared/http/success.ts';
import { route } from '../context.ts';
import { importFile } from './import-file.ts';
import type { ImportReport } from './report.ts';
import { BULK, bulkBody, IMPORT_REPORT } from './schema.ts';

/** Of the rate limit an import costs a token for every so many rows begun; the first is that of the request. */
const ROWS_A_TOKEN = 1_000;

const TOO_MANY = 'As many imports as can run at once are under way; try again in a moment';

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
  handle: ({ context, query, body, charge }) =>
    oneOfAFew(async () => {
      const source = async function* () {
        yield* body;
      };
      const outcome = await importFile(context.db, 'asset', source, {
        isDryRun: query.dry_run,
        admit: (rows) => charge(Math.ceil(rows / ROWS_A_TOKEN) - 1),
      });
      if (!outcome.isImported) {
        throw invalid(outcome.issues, outcome.leftOut);
      }
      return outcome.report;
    }),
});

/** An import holds a connection for as long as it takes; requests need the others. */
const MOST_AT_ONCE = 2;
let underWay = 0;

async function oneOfAFew<Result>(work: () => Promise<Result>): Promise<Result> {
  if (underWay === MOST_AT_ONCE) {
    throw new Problem('unavailable', TOO_MANY, { headers: { 'Retry-After': '5' } });
  }
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
  }
}

export const importRoutes = [bulk];
