import { harmless, harmlessJson } from '../../../base/harmless-cells.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { storedTags } from '../tags/stored-tags.ts';
import { type CsvStyle, csvOptions, markOf, PLAIN } from './csv-style.ts';
import { CELL_TYPES, type CellType, CSV_COLUMNS, type CsvColumn } from './given-row.ts';
import { listIds, readStoredRows, type StoredRow } from './stored-rows.ts';
import { formatTagList } from './tag-list.ts';

/** Rows looked up at a time; fewer are fetched and written if they have much metadata. */
const PAGE = 1_000;

export interface ExportedPiece {
  text: string;
  rows: number;
}

/**
 * Live assets or locations as CSV, in the columns of an import; importing it changes nothing. The header comes first, as
 * a piece without rows. Between pieces no connection is held.
 *
 * @param pages ids of those to export; every one by default, in order of keys.
 */
export async function* exportFile(
  connection: OrganizationConnection,
  resource: Keyed,
  pages: AsyncIterable<readonly number[]> = everyPage(connection, resource),
  style = PLAIN,
): AsyncGenerator<ExportedPiece, void> {
  const { stringify } = await import('csv-stringify/sync');
  const options = csvOptions(style);
  yield { text: markOf(style) + stringify([[...CSV_COLUMNS[resource]]], options), rows: 0 };
  for await (const ids of pages) {
    for await (const rows of readStoredRows(connection, resource, ids)) {
      const cells = rows.map((row) => CSV_COLUMNS[resource].map((column) => cellOf(row, column, style)));
      yield { text: stringify(cells, options), rows: rows.length };
    }
  }
}

async function* everyPage(
  connection: OrganizationConnection,
  resource: Keyed,
): AsyncGenerator<readonly number[], void> {
  for (let afterKey = ''; ; ) {
    const page = await listIds(connection, resource, afterKey, PAGE);
    const last = page.at(-1);
    if (last === undefined) {
      return;
    }
    yield page.map(({ id }) => id);
    afterKey = last.external_key;
  }
}

function cellOf(row: StoredRow, column: CsvColumn, style: CsvStyle): string {
  const value = String(row[column] ?? '');
  return value === '' ? '' : (WRITE_CELL[CELL_TYPES[column]]?.(value, style) ?? value);
}

const WRITE_CELL: Partial<Record<CellType, (value: string, style: CsvStyle) => string>> = {
  text: (value, { hasMark }) => harmless(value, hasMark),
  time: wireTime,
  json: harmlessJson,
  tags: (json) => harmless(formatTagList(storedTags(json))),
};
