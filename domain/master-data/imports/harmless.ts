/**
 * Spreadsheets take a cell that begins like this for a formula, which may send other cells elsewhere. A leading
 * apostrophe makes it text; an existing one gets another, so that the first can be removed again.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Where the list separator is a semicolon, as in much of Europe, a spreadsheet splits our cells at semicolons and line
 * breaks: it ignores the quotation marks around them.
 */
const FORMULA_INSIDE = /(?<=[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g;
const MARKED_INSIDE = /(?<=[;\t\r\n])'(?=['"]*[=+\-@＝＋－＠])/g;

export function harmless(cell: string): string {
  const marked = cell.replace(FORMULA_INSIDE, "'");
  return FORMULA.test(cell) ? `'${marked}` : marked;
}

/** Undoes {@link harmless}; any other cell stays as it is. */
export function withoutApostrophes(cell: string): string {
  const marked = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
  return marked.replace(MARKED_INSIDE, '');
}

/** JSON that says the same. Outside of its strings there is no semicolon, and no formula but a number. */
export function harmlessJson(json: string): string {
  return json.replace(/;(?=['"\\]*[=+\-@＝＋－＠])/g, '\\u003b');
}
