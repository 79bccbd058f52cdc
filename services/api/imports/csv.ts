import { pipeline, Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { AppError } from '../../shared/errors.ts';

/** A record of a CSV file. */
export interface CsvRecord {
  /** Of its first character, from 1; a record can have several lines. */
  line: number;
  cells: string[];
}

/** The bytes of a file, from the start each time it is asked. */
export type CsvSource = () => AsyncIterable<Buffer>;

/** A record longer than this is no row of ours but a quotation mark that is never closed. */
const LONGEST_RECORD = 2_097_152;

/**
 * Reads CSV (RFC 4180) as it comes: UTF-8, with or without a byte order mark, lines ended in any of the three ways.
 * Records without anything in them are passed over.
 *
 * @throws CsvFault for what is no CSV.
 */
export async function* readCsv(source: CsvSource): AsyncGenerator<CsvRecord, void> {
  // Where the record that is being read begins; the parser's own count is thrown off by line breaks in cells.
  let line = 1;
  const placed = ({ raw, record: cells }: RawRecord): CsvRecord | null => {
    const record = { line, cells };
    line += raw.match(LINE_BREAK)?.length ?? 0;
    return cells.length > 1 || cells[0] !== '' ? record : null;
  };
  const parser = parse({
    bom: true,
    max_record_size: LONGEST_RECORD,
    // With `raw`, it gets more than its type says.
    on_record: placed as unknown as NonNullable<Options['on_record']>,
    raw: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  // What went wrong is thrown where the records are read.
  pipeline(Readable.from(decoded(source)), parser, () => {});
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    throw error instanceof CsvError ? new CsvFault(line, explain(error)) : error;
  } finally {
    parser.destroy();
  }
}

interface RawRecord {
  raw: string;
  record: string[];
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** What makes a file no CSV file, and where. */
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
  for await (const bytes of source()) {
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

const NOT_UTF8 =
  'on this line, or one soon after it, the file is not UTF-8; save it as "CSV UTF-8" and try again';

function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    count += 1;
  }
  return count;
}

/** In the words of whoever has to mend the file. */
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
