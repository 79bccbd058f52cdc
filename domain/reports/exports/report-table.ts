import { pageOf } from '../../../base/page.ts';
import type { Snapshot } from '../../../db/timescale/connections/snapshot.ts';
import type { RowQuery } from '../../../db/timescale/queries/sql.ts';
import type { Column } from './columns.ts';

/** A piece of a file, in the order of the file. */
export interface Piece {
  content: string | Uint8Array;
  /** How many rows it brings. */
  rows: number;
  /** Rows of the whole file, once that is known. */
  total?: number;
}

/** A whole report: its columns, and the query of its rows. */
export interface ReportTable<Row extends { id: number | string }> {
  columns: readonly Column<Row>[];
  /** Null if there can be no rows. */
  query: RowQuery<Row & { total_count: number }> | null;
}

export interface RowBatch<Row> {
  rows: readonly Row[];
  /** Rows of the whole report. */
  total: number;
}

/** The page that has all rows. */
export const ALL_ROWS = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

export async function* batchesOf<Row extends { id: number | string }>(
  snapshot: Snapshot,
  { query }: ReportTable<Row>,
): AsyncGenerator<RowBatch<Row>, void> {
  if (query === null) {
    return;
  }
  for await (const batch of snapshot.batches(query)) {
    const { rows, totalCount } = pageOf<Row>(batch);
    yield { rows, total: totalCount };
  }
}
