import { harmless } from '../../../../base/harmless-cells.ts';
import { texts } from '../texts/texts.ts';

/** A date is a day. */
export type SavedCell = string | number | Date | null | undefined;

/** Saves rows as CSV, as the server exports for people: with a byte order mark, and for the spreadsheets of the language. */
export function saveCsv(name: string, rows: readonly (readonly SavedCell[])[]): void {
  const isComma = texts.value.common.csv.separator === 'comma';
  const lines = rows.map((cells) => cells.map((cell) => cellText(cell, isComma)).join(isComma ? ',' : ';'));
  const text = lines.map((line) => `${line}\r\n`);
  saveBlob(`${name}.csv`, new Blob(['\ufeff', ...text], { type: 'text/csv' }));
}

/** Where a semicolon separates cells, a comma separates decimals. */
function cellText(cell: SavedCell, isComma: boolean): string {
  if (typeof cell === 'number') {
    return isComma ? String(cell) : String(cell).replace('.', ',');
  }
  const text = typeof cell === 'string' ? harmless(cell, true) : (cell?.toISOString().slice(0, 10) ?? '');
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveBlob(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Cells of an asset or a location. @param names by key, as far as they are known. */
export function nameAndKey(
  title: string,
  key: string | null | undefined,
  names: ReadonlyMap<string, string>,
): Readonly<Record<string, SavedCell>> {
  return {
    [title]: key == null ? null : (names.get(key) ?? key),
    [texts.value.common.keyOf(title)]: key,
  };
}
