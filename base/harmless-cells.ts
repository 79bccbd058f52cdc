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

/**
 * Spreadsheets take such a cell for a number, date or truth value, and save it as they show it: 007 as 7, 3E5 as 3.00E+05,
 * 1-2 and JAN2 as 2-Jan. They keep numbers of up to eleven digits without leading zeros.
 */
const TURNED =
  /^(?!(?:0|[1-9]\d{0,10})$)'*(?!')(?:\d[\d .,:/%-]*(?:e[+-]?\d+)?|true|false|wahr|falsch|(?=\D{0,12}\d)(?:\d{1,4}[-./ ]{0,2})?(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|märz?|mrz|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)(?:[-./ ]{0,2}\d{1,4})?)$/i;

/** @param isForSpreadsheets whether the text must come back from one as it is. */
export function harmless(cell: string, isForSpreadsheets = false): string {
  const marked = cell.replace(FORMULA_INSIDE, "'");
  const isTurned = (isForSpreadsheets || cell.startsWith("'")) && TURNED.test(cell);
  return isTurned || FORMULA.test(cell) ? `'${marked}` : marked;
}

/** Undoes {@link harmless}; any other cell stays as it is. */
export function withoutApostrophes(cell: string): string {
  const isMarked = cell.startsWith("'") && (FORMULA.test(cell) || TURNED.test(cell));
  return (isMarked ? cell.slice(1) : cell).replace(MARKED_INSIDE, '');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONGEST_NUMBER = 12;

/** Keys that a spreadsheet may have turned into this one: 007 into 7, 1-2 into 2-Jan. */
export function turnedInto(key: string): string[] {
  if (/^[1-9]\d{0,10}$/.test(key)) {
    return Array.from({ length: LONGEST_NUMBER - key.length }, (_, zeros) => `0${'0'.repeat(zeros)}${key}`);
  }
  const [, day = '', named = ''] = /^(\d{1,2})-([A-Z][a-z]{2})$/.exec(key) ?? [];
  const month = MONTHS.indexOf(named) + 1;
  const spelled = (number: number) => [String(number), String(number).padStart(2, '0')];
  return month === 0
    ? []
    : [
        ...spelled(month).flatMap((m) => spelled(Number(day)).flatMap((d) => [`${m}-${d}`, `${d}-${m}`])),
        ...[named, named.toUpperCase()].flatMap((m) => [`${m}${Number(day)}`, `${m}-${Number(day)}`]),
      ];
}

/** JSON that says the same. Outside of its strings there is no semicolon, and no formula but a number. */
export function harmlessJson(json: string): string {
  return json.replace(/;(?=['"\\]*[=+\-@＝＋－＠])/g, '\\u003b');
}
