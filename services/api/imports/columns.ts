import {
  type FieldIssue,
  invalidValue,
  type Read,
  required,
  unknownField,
} from '../../shared/http/issues.ts';

/** The columns of a file of assets, in the order in which an export writes them. */
export const COLUMNS = [
  'external_key',
  'name',
  'description',
  'is_active',
  'valid_from',
  'valid_to',
  'metadata',
  'tags',
] as const;

export type Column = (typeof COLUMNS)[number];

/** Reads the header: which column stands where. Letter case and blanks around a name do not matter. */
export function readHeader(cells: readonly string[]): Read<Column[]> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.filter((name) => !isColumn(name));
  const repeated = COLUMNS.filter((column) => names.filter((name) => name === column).length > 1);
  const issues: FieldIssue[] = [
    ...[...new Set(unknown)].map((name) =>
      unknownField(name, `unknown column "${name}"; there are ${COLUMNS.join(', ')}`),
    ),
    ...repeated.map((column) => invalidValue(column, 'must be the name of one column only')),
    ...(names.includes('name') ? [] : [{ ...required('name'), message: 'the column name is required' }]),
  ];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: names as Column[] };
}

function isColumn(name: string): name is Column {
  return COLUMNS.some((column) => column === name);
}
