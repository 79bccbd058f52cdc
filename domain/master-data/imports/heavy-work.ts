import { type SameJson, sameJsonText } from '../../../base/json/same-json.ts';
import type { Keyed } from '../by-id-or-key.ts';
import type { CsvRecord } from './csv-records.ts';
import type { NamedColumn } from './given-row.ts';
import { type RowOfFile, readRow } from './row.ts';

export interface RowTask {
  resource: Keyed;
  columns: readonly NamedColumn[];
  record: CsvRecord;
}

export interface HeavyWork {
  same: SameJson;
  /** {@link readRow} for rows of more than {@link LARGE_ROW} UTF-16 units. */
  readLargeRow(task: RowTask): Promise<RowOfFile>;
}

/** UTF-16 units. */
export const LARGE_ROW = 32_768;

/** On the main thread, where nobody else waits, as on the command line. */
export const HERE: HeavyWork = {
  same: sameJsonText,
  readLargeRow: async ({ resource, columns, record }) => readRow(resource, columns, record),
};
