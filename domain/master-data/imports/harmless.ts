/**
 * Spreadsheets take a cell that begins so for a formula, which may send what is beside it elsewhere. An apostrophe in
 * front of it makes it text; one more where there are some, so that the first can be taken off again.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Where the list separator is a semicolon, as it is in much of Europe, a spreadsheet begins cells at semicolons and line
 * breaks inside of ours: it does not see the quotation marks around them.
 */
const FORMULA_INSIDE = /(?<=[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g;
const MARKED_INSIDE = /(?<=[;\t\r\n])'(?=['"]*[=+\-@＝＋－＠])/g;

export function harmless(cell: string): string {
  const marked = cell.replace(FORMULA_INSIDE, "'");
  return FORMULA.test(cell) ? `'${marked}` : marked;
}

/** Undoes {@link harmless}; a cell that it would not have written stays as it is. */
export function withoutApostrophes(cell: string): string {
  const marked = cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
  return marked.replace(MARKED_INSIDE, '');
}

/** JSON that says the same. Outside of its strings there is no semicolon, and no formula but a number. */
export function harmlessJson(json: string): string {
  return json.replace(/;(?=['"\\]*[=+\-@＝＋－＠])/g, '\\u003b');
}
