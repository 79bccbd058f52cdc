import { wireTime } from '../../../base/timestamps.ts';
import { harmless } from '../../master-data/imports/harmless.ts';
import { secondsOf } from '../milliseconds-between.ts';
import type { Cell, Column, ColumnType } from './columns.ts';
import type { Piece, RowBatch } from './report-table.ts';

/** A report as CSV (RFC 4180) with a header; harmless in spreadsheets. */
export async function* csvOf<Row>(
  columns: readonly Column<Row>[],
  batches: AsyncIterable<RowBatch<Row>>,
): AsyncGenerator<Piece, void> {
  const { stringify } = await import('csv-stringify/sync');
  const lines = (cells: string[][]) =>
    stringify(cells, { record_delimiter: '\r\n', quote_record_delimiter: true });
  yield { content: lines([columns.map(({ name }) => name)]), rows: 0 };
  for await (const { rows, total } of batches) {
    const cells = rows.map((row) => columns.map(({ type, cell }) => textOf(type, cell(row))));
    yield { content: lines(cells), rows: rows.length, total };
  }
}

function textOf(type: ColumnType, cell: Cell): string {
  return cell === null ? '' : (WRITE[type]?.(cell) ?? String(cell));
}

const WRITE: Partial<Record<ColumnType, (cell: Exclude<Cell, null>) => string>> = {
  key: (cell) => harmless(String(cell)),
  time: (cell) => wireTime(String(cell)),
  seconds: (cell) => String(secondsOf(Number(cell))),
};
