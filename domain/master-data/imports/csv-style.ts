/**
 * How CSV is written. Spreadsheets know by the byte order mark that it is UTF-8, and split it at the separator of their
 * language.
 */
export interface CsvStyle {
  separator: ',' | ';';
  /** For spreadsheets, which then also get texts marked that they would turn into numbers. */
  hasMark: boolean;
}

/** For programs. */
export const PLAIN: CsvStyle = { separator: ',', hasMark: false };

/** Bare line feeds are accepted as line ends everywhere the file is read. */
export function csvOptions({ separator }: CsvStyle) {
  return { record_delimiter: '\r\n', quote_record_delimiter: true, delimiter: separator };
}

export function markOf({ hasMark }: CsvStyle): string {
  return hasMark ? '\ufeff' : '';
}
