import {
  type Checked,
  type FieldIssue,
  invalidValue,
  required,
  unknownField,
} from '../../../base/checks/issues.ts';
import type { CsvColumn } from './given-row.ts';

export type NamedColumn = CsvColumn | null;

/**
 * Maps the header to columns, null for those without a name, which spreadsheets leave. Case and surrounding blanks do
 * not matter.
 *
 * @param columns allowed ones.
 */
export function readHeader(columns: readonly CsvColumn[], cells: readonly string[]): Checked<NamedColumn[]> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.filter((name) => name !== '' && !columns.some((column) => column === name));
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
    : { ok: true, value: names.map((name) => (name === '' ? null : (name as CsvColumn))) };
}
