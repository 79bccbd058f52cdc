import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import type { Keyed } from '../live-by-key.ts';
import { storedTags } from '../tags/stored-tags.ts';
import { CELL_TYPES, type CellType, CSV_COLUMNS, type CsvColumn } from './given-row.ts';
import { listIds, readStoredRows, type StoredRow } from './stored-rows.ts';
import { formatTagList } from './tag-list.ts';

/** Rows looked up at a time; fewer are fetched and written if they have much metadata. */
const PAGE = 1_000;

/** A piece of the file with its number of rows. */
export interface ExportedPiece {
  text: string;
  rows: number;
}

/**
 * Every live asset or location as CSV, in order of keys, in the columns of an import; importing it changes nothing. The
 * header comes first, as a piece without rows.
 */
export async function* exportFile(
  connection: OrganizationConnection,
  resource: Keyed,
): AsyncGenerator<ExportedPiece, void> {
  const { stringify } = await import('csv-stringify/sync');
  yield { text: stringify([[...CSV_COLUMNS[resource]]], { record_delimiter: '\r\n' }), rows: 0 };
  for (let afterKey = ''; ; ) {
    const page = await listIds(connection, resource, afterKey, PAGE);
    const last = page.at(-1);
    if (last === undefined) {
      return;
    }
    const ids = page.map(({ id }) => id);
    for await (const rows of readStoredRows(connection, resource, ids)) {
      const cells = rows.map((row) => CSV_COLUMNS[resource].map((column) => cellOf(row, column)));
      yield { text: stringify(cells, { record_delimiter: '\r\n' }), rows: rows.length };
    }
    afterKey = last.external_key;
  }
}

function cellOf(row: StoredRow, column: CsvColumn): string {
  const value = String(row[column] ?? '');
  return value === '' ? '' : (WRITE_CELL[CELL_TYPES[column]]?.(value) ?? value);
}

const WRITE_CELL: Partial<Record<CellType, (value: string) => string>> = {
  time: wireTime,
  tags: (json) => formatTagList(storedTags(json)),
};
