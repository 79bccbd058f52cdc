import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { CsvError, Options } from 'csv-parse';
import { AppError } from '../../../base/errors.ts';

export interface CsvRecord {
  /** Line of its first character, from 1; a record can span lines. */
  line: number;
  cells: string[];
}

export type CsvSource = () => AsyncIterable<Buffer>;

/** Characters. A longer record is an unclosed quotation mark. */
const LONGEST_RECORD = 2_097_152;

/**
 * Streams CSV (RFC 4180) with commas, semicolons or tabs: UTF-8, with or without a byte order mark, any line ends.
 * Empty records are skipped.
 *
 * @throws CsvFault for invalid CSV.
 */
export async function* readCsv(source: CsvSource): AsyncGenerator<CsvRecord, void> {
  const csv = await import('csv-parse');
  // Start of the current record; line breaks in cells throw off the parser's own count.
  let line = 1;
  const placed = ({ raw, record: cells }: RawRecord): CsvRecord | null => {
    const record = { line, cells };
    line += raw.match(LINE_BREAK)?.length ?? 0;
    return cells.length > 1 || cells[0] !== '' ? record : null;
  };
  const text = decoded(source);
  const { delimiter, begin } = await delimiterOf(text);
  const parser = csv.parse({
    bom: true,
    delimiter,
    max_record_size: LONGEST_RECORD,
    // With `raw`, it gets more than its type says.
    on_record: placed as unknown as NonNullable<Options['on_record']>,
    raw: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  // The reader of the records throws the error.
  const whole = async function* () {
    yield begin;
    yield* text;
  };
  pipeline(Readable.from(whole()), parser, () => {});
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    throw error instanceof csv.CsvError ? new CsvFault(line, explain(error)) : error;
  } finally {
    parser.destroy();
  }
}

/**
 * The header's delimiter: the most frequent of comma, semicolon and tab outside of quotation marks. Column names
 * contain none of them; cells may, as lists of tags do.
 *
 * @returns also the text read to find out.
 */
async function delimiterOf(
  text: AsyncGenerator<string, void>,
): Promise<{ delimiter: string; begin: string }> {
  let begin = '';
  while (begin.length < LONGEST_HEADER && !/[\r\n]./su.test(begin.trimStart())) {
    const next = await text.next();
    if (next.done === true) {
      break;
    }
    begin += next.value;
  }
  const [header = ''] = begin
    .replace(/"(?:[^"]|"")*"/g, '')
    .replace(/^[\ufeff\r\n]+/, '')
    .split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',', begin };
}

/** The first one wins a tie. */
const DELIMITERS = [',', ';', '\t'];

/** Characters. A longer header names unknown columns. */
const LONGEST_HEADER = 65_536;

interface RawRecord {
  raw: string;
  record: string[];
}

const LINE_BREAK = /\r\n|\n|\r/g;

export class CsvFault extends AppError {
  readonly line: number;
  readonly what: string;

  constructor(line: number, what: string) {
    super('invalid_input', `line ${line}: ${what}`);
    this.line = line;
    this.what = what;
  }
}

async function* decoded(source: CsvSource): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let isFirst = true;
  for await (const bytes of piecesOf(source)) {
    if (isFirst && isUtf16(bytes)) {
      throw new CsvFault(line, IS_UTF16);
    }
    isFirst = false;
    try {
      yield decoder.decode(bytes, { stream: true });
    } catch {
      throw new CsvFault(line, NOT_UTF8);
    }
    line += lineFeedsIn(bytes);
  }
  try {
    yield decoder.decode();
  } catch {
    throw new CsvFault(line, NOT_UTF8);
  }
}

/** The parser handles a piece synchronously, with all its records. So pieces are small, to yield in between. */
async function* piecesOf(source: CsvSource): AsyncGenerator<Buffer, void> {
  for await (const bytes of source()) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield bytes.subarray(at, at + PIECE);
      await setImmediate();
    }
  }
}

/** Bytes. */
const PIECE = 16_384;

const NOT_UTF8 =
  'on this line, or one soon after it, the file is not UTF-8 (it may be Windows-1252, as Excel\'s plain "CSV" is); ' +
  'save it as "CSV UTF-8" and try again';

/** By its byte order mark, or by the zero bytes of ASCII in it. */
function isUtf16([first, second]: Buffer): boolean {
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first !== undefined && second !== undefined && (first === 0) !== (second === 0))
  );
}

const IS_UTF16 = 'the file is UTF-16 (Excel calls it "Unicode Text"); save it as "CSV UTF-8" and try again';

function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    count += 1;
  }
  return count;
}

function explain({ code, message }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return 'a quotation mark is opened that is not closed';
    case 'INVALID_OPENING_QUOTE':
      return 'a quotation mark inside a cell: put the cell in quotation marks, and double those in it';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'text follows a closing quotation mark: double the quotation marks inside a cell';
    default:
      return message;
  }
}
