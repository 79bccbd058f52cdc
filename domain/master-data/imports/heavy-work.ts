import { type SameJson, sameJsonText } from '../../../base/json/same-json.ts';
import type { Keyed } from '../live-by-key.ts';
import type { CsvRecord } from './csv.ts';
import type { CsvColumn } from './given-row.ts';
import { type RowOfFile, readRow } from './row.ts';

/** A row to be read. */
export interface RowTask {
  resource: Keyed;
  columns: readonly CsvColumn[];
  record: CsvRecord;
}

/** What takes long where cells are large, so that a server has it done where it holds nobody up. */
export interface HeavyWork {
  same: SameJson;
  /** As {@link readRow}, of rows of more than {@link LARGE_ROW}. */
  readLargeRow(task: RowTask): Promise<RowOfFile>;
}

/** In UTF-16 units. */
export const LARGE_ROW = 32_768;

/** Where nobody else is held up, as on the command line. */
export const HERE: HeavyWork = {
  same: sameJsonText,
  readLargeRow: async ({ resource, columns, record }) => readRow(resource, columns, record),
};
