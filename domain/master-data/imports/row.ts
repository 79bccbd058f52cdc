import { append } from '../../../base/append.ts';
import { type Checked, gathered, invalidValue, type Refusal, refused } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import { withoutApostrophes } from '../../../base/harmless-cells.ts';
import { type Json, JsonSource, parseJson } from '../../../base/json/exact-json.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { type NewTag, tagName } from '../tags/new-tag.ts';
import type { CsvRecord } from './csv-records.ts';
import {
  CELL_TYPES,
  type CellType,
  type CsvColumn,
  type GivenRow,
  isRead,
  type NamedColumn,
  readGivenRow,
} from './given-row.ts';
import { parseTagList } from './tag-list.ts';

export interface ImportRow {
  line: number;
  given: GivenRow;
  /** The cell of its key as the file has it; a batch has none. */
  keyCell?: string;
}

/** A row, or why it cannot be imported; its key, if valid, and whether it has a name are known in either case. */
export interface RowOfFile {
  line: number;
  externalKey: string | undefined;
  isNamed: boolean;
  read: Checked<GivenRow>;
}

export function readRow(
  resource: Keyed,
  columns: readonly NamedColumn[],
  { line, cells }: CsvRecord,
): RowOfFile {
  const nameless = cells.findIndex((cell, index) => (columns[index] ?? null) === null && cell.trim() !== '');
  if (nameless !== -1) {
    const message = `the row has content in column ${nameless + 1}, which has no name in the header (${columns.length} columns)`;
    const issue = { field: 'file', code: 'invalid_value', message } as const;
    // Cells cannot be assigned to columns.
    return { line, externalKey: undefined, isNamed: true, read: refused(issue) };
  }
  const { object, refusals } = readCells(columns, cells);
  const given = readGivenRow(resource, object, sourceOf(columns, cells, object));
  if (!given.ok) {
    refusals.push(given);
  } else {
    append(refusals, repeatedTags(given.value.tags ?? []));
  }
  const isKeyed =
    typeof object.external_key === 'string' &&
    refusals.every(({ issues }) => issues.every(({ field }) => field !== 'external_key'));
  return {
    line,
    externalKey: isKeyed ? String(object.external_key) : undefined,
    isNamed: object.name !== undefined,
    read: given.ok && refusals.length === 0 ? given : gathered(refusals),
  };
}

function readCells(columns: readonly NamedColumn[], cells: readonly string[]) {
  const object: Partial<Record<CsvColumn, Json>> = {};
  const refusals: Refusal[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (isRead(column) && cell !== '') {
      const read = isRoundedKey(column, cell)
        ? roundedIn(column, cell)
        : (READ_CELL[CELL_TYPES[column]]?.(cell, column) ?? { ok: true, value: cell });
      if (read.ok) {
        object[column] = read.value;
      } else {
        refusals.push(read);
      }
    }
  }
  return { object, refusals };
}

/** Numbers with many digits as spreadsheets show them, and hex with a single E: `3.00833E+23`. */
const ROUNDED = /^\d(?:[.,]\d{1,14})?E\+\d{2,3}$/i;

function isRoundedKey(column: CsvColumn, cell: string): boolean {
  return (column === 'external_key' || column === 'parent_external_key') && ROUNDED.test(cell.trim());
}

function roundedIn(column: CsvColumn, value: string): Refusal {
  const cause = `has ${value}: a spreadsheet has turned an identifier into a number and rounded it`;
  return refused(
    invalidValue(column, `${cause}; make the column text there, and enter the identifier once more`),
  );
}

/** A pair can be attached once, as in the API. Tags that the row already has are no fault. */
function repeatedTags(tags: readonly NewTag[]): Refusal[] {
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const { tagType, value } of tags) {
    const name = tagName({ tag_type: tagType, value });
    (names.has(name) ? repeated : names).add(name);
  }
  return [...repeated].map((name) => refused(invalidValue('tags', `names the tag ${name} more than once`)));
}

function sourceOf(
  columns: readonly NamedColumn[],
  cells: readonly string[],
  object: Partial<Record<CsvColumn, Json>>,
): JsonSource {
  const members = columns.flatMap((column, index) =>
    isRead(column) && CELL_TYPES[column] === 'json' && column in object
      ? [`"${column}":${cells[index]}`]
      : [],
  );
  return JsonSource.of(`{${members.join()}}`);
}

/** Also as German spreadsheets save them. */
const FLAGS = new Map([
  ['true', true],
  ['false', false],
  ['wahr', true],
  ['falsch', false],
]);

const READ_CELL: Partial<Record<CellType, (cell: string, name: string) => Checked<Json>>> = {
  text: (cell) => ({ ok: true, value: withoutApostrophes(cell) }),
  flag: (cell, name) => {
    const value = FLAGS.get(cell.trim().toLowerCase());
    return value !== undefined ? { ok: true, value } : refused(invalidValue(name, 'must be true or false'));
  },
  json: (cell, name) => {
    try {
      return { ok: true, value: parseJson(Buffer.from(cell), name).json };
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      return refused(invalidValue(name, 'must be a JSON object'));
    }
  },
  tags: (cell, name) => {
    const tags = parseTagList(withoutApostrophes(cell));
    if (tags === null) {
      return refused(
        invalidValue(name, 'must be a list such as rfid:E28011600000020912345678;barcode:4006381333931'),
      );
    }
    const rounded = tags.find(({ value }) => ROUNDED.test(value.trim()));
    return rounded === undefined
      ? { ok: true, value: tags.map((tag) => ({ ...tag })) }
      : roundedIn('tags', rounded.value);
  },
};
