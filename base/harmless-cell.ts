/**
 * Spreadsheets take a cell that begins so for a formula, which may send what is beside it elsewhere. An apostrophe in
 * front of it makes it text; one more where there are some, so that the first can be taken off again.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function harmless(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Undoes {@link harmless}; a cell that it would not have written stays as it is. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
