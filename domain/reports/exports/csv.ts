import { harmless } from '../../../base/harmless-cells.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { type CsvStyle, csvOptions, markOf, PLAIN } from '../../master-data/imports/csv-style.ts';
import { secondsOf } from '../milliseconds-between.ts';
import type { Cell, Column, ColumnType } from './columns.ts';
import type { Piece, RowBatch } from './report-table.ts';

/** A report as CSV (RFC 4180) with a header; harmless in spreadsheets. */
export async function* csvOf<Row>(
  columns: readonly Column<Row>[],
  batches: AsyncIterable<RowBatch<Row>>,
  style: CsvStyle = PLAIN,
): AsyncGenerator<Piece, void> {
  const { stringify } = await import('csv-stringify/sync');
  const lines = (cells: string[][]) => stringify(cells, csvOptions(style));
  yield { content: markOf(style) + lines([columns.map(({ name }) => name)]), rows: 0 };
  for await (const { rows, total } of batches) {
    const cells = rows.map((row) => columns.map(({ type, cell }) => textOf(type, cell(row), style)));
    yield { content: lines(cells), rows: rows.length, total };
  }
}

/** Where a semicolon separates cells, a comma separates decimals. */
function textOf(type: ColumnType, cell: Cell, style: CsvStyle): string {
  const text = cell === null ? '' : (WRITE[type]?.(cell, style) ?? String(cell));
  return type === 'seconds' && style.separator === ';' ? text.replace('.', ',') : text;
}

const WRITE: Partial<Record<ColumnType, (cell: Exclude<Cell, null>, style: CsvStyle) => string>> = {
  key: (cell, { hasMark }) => harmless(String(cell), hasMark),
  time: (cell) => wireTime(String(cell)),
  seconds: (cell) => String(secondsOf(Number(cell))),
};
