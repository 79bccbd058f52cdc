import { arrayOf, externalKey } from '../../../base/checks/fields.ts';
import {
  type Checked,
  type FieldIssue,
  invalidValue,
  required,
  unknownField,
} from '../../../base/checks/issues.ts';
import { nullable, optional, readMembers, type Values } from '../../../base/checks/members.ts';
import type { JsonObject, JsonSource } from '../../../base/json/exact-json.ts';
import type { Keyed } from '../by-id-or-key.ts';
import {
  ASSET_COLUMNS,
  behindDescription,
  type Column,
  type Columns,
  changeMembers,
  LOCATION_COLUMNS,
} from '../columns.ts';
import { newTag } from '../tags/new-tag.ts';

const KEY = { external_key: optional(externalKey) };
const TAGS = { tags: optional(arrayOf(newTag)) };
const PARENT = { parent_external_key: nullable(externalKey) };

const ASSET = { ...KEY, ...changeMembers(ASSET_COLUMNS), ...TAGS };
const LOCATION = { ...KEY, ...behindDescription(changeMembers(LOCATION_COLUMNS), PARENT), ...TAGS };

/** Members of a row, and so columns of a file, in the order of exports. Empty cells are absent; null clears. */
export const GIVEN_MEMBERS = { asset: ASSET, location: LOCATION };

export type GivenRow = Values<typeof ASSET> & Partial<Values<typeof LOCATION>>;

export type CsvColumn = keyof GivenRow;

export const CSV_COLUMNS: Readonly<Record<Keyed, readonly CsvColumn[]>> = {
  asset: Object.keys(ASSET) as CsvColumn[],
  location: Object.keys(LOCATION) as CsvColumn[],
};

export type CellType = Column['type'] | 'tags';

export const CELL_TYPES: Readonly<Record<CsvColumn, CellType>> = {
  external_key: 'text',
  parent_external_key: 'text',
  tags: 'tags',
  ...typesOf(ASSET_COLUMNS),
  ...typesOf(LOCATION_COLUMNS),
};

function typesOf<C extends Columns>(columns: C): Record<keyof C, Column['type']> {
  const types = Object.entries<Column>(columns).map(([name, { type }]) => [name, type]);
  return Object.fromEntries(types);
}

export function readGivenRow(resource: Keyed, object: JsonObject, source: JsonSource): Checked<GivenRow> {
  return readMembers<typeof ASSET | typeof LOCATION>(GIVEN_MEMBERS[resource], object, {
    nullAdvice: '',
    prefix: '',
    source,
  }) as Checked<GivenRow>;
}

/** The name of columns that are left out. */
const LEFT_OUT = '-';

export type NamedColumn = CsvColumn | typeof LEFT_OUT | null;

export function isRead(column: NamedColumn): column is CsvColumn {
  return column !== null && column !== LEFT_OUT;
}

/**
 * Maps the header to columns, null for those without a name, which spreadsheets leave. Case and surrounding blanks do
 * not matter.
 *
 * @param columns allowed ones.
 */
export function readHeader(columns: readonly CsvColumn[], cells: readonly string[]): Checked<NamedColumn[]> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.filter(
    (name) => !['', LEFT_OUT].includes(name) && !columns.some((column) => column === name),
  );
  const repeated = columns.filter((column) => names.filter((name) => name === column).length > 1);
  const issues: FieldIssue[] = [
    ...[...new Set(unknown)].map((name) =>
      unknownField(name, `unknown column "${name}"; known columns: ${columns.join(', ')}`),
    ),
    ...repeated.map((column) => invalidValue(column, 'must be the name of one column only')),
    ...(names.includes('name') ? [] : [{ ...required('name'), message: 'the column name is required' }]),
  ];
  return issues.length > 0
    ? { ok: false, issues }
    : { ok: true, value: names.map((name) => (name === '' ? null : (name as NamedColumn))) };
}
