import { expensiveTurns } from '../../../base/expensive-turns.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import type { CsvSource } from '../../../domain/master-data/imports/csv.ts';
import {
  type ImportOptions,
  type ImportOutcome,
  importFile,
} from '../../../domain/master-data/imports/import-file.ts';
import type { ApiContext } from '../serving/context.ts';
import { QUEUE } from '../serving/import-turns.ts';

/** Per token of the rate limit, whichever is more; the request itself pays the first token. */
const ROWS_A_TOKEN = 1_000;
const BYTES_A_TOKEN = 131_072;

const LARGE_ROW_THREAD = import.meta.resolve('./large-row-thread.ts');

/** The options of an import beside which nobody else waits long. */
export function considerate({ db, sameJson, inThread }: ApiContext): Pick<ImportOptions, 'heavy' | 'pause'> {
  return {
    heavy: {
      same: sameJson,
      readLargeRow: (argument) => inThread({ module: LARGE_ROW_THREAD, name: 'readRow', argument }),
    },
    pause: () => expensiveTurns.pause(db.orgId, 'import', QUEUE),
  };
}

export interface RunImport extends Pick<ImportOptions, 'isDryRun' | 'onProgress' | 'onlooker' | 'conclude'> {
  resource: Keyed;
  source: CsvSource;
  charge(tokens: number): Promise<void>;
}

/** Imports a file so that nobody else waits long: within the organization's turn, and with long rows in threads. */
export function runImport(
  context: ApiContext,
  actor: Actor,
  { resource, source, charge, ...options }: RunImport,
): Promise<ImportOutcome> {
  return importFile(context.db, actor, resource, source, {
    ...options,
    ...considerate(context),
    heap: context.imports.heap,
    admit: ({ rows, bytes }) => charge(Math.ceil(Math.max(rows / ROWS_A_TOKEN, bytes / BYTES_A_TOKEN)) - 1),
  });
}
