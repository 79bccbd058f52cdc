import { setTimeout as pause } from 'node:timers/promises';
import { greatestOf } from '../../../base/extremes.ts';
import { CsvFault, type CsvRecord, CsvRecords } from './csv-records.ts';

export type CsvSource = () => AsyncIterable<Buffer>;

/** Milliseconds after which it rests. */
const TURN = 1;

/**
 * Milliseconds of a rest. A look-up waits for the database in between, so rounds of an idle loop do not help it: beside a
 * file of 10 MB of line breaks, it would wait for a turn at each of its steps.
 */
const REST = 2;

/**
 * Streams CSV (RFC 4180): UTF-8, with or without a byte order mark, any line ends, with the delimiter of its first line.
 * Records without content are skipped. Others have the event loop for most of the time, whatever the file has.
 *
 * @throws CsvFault for invalid CSV.
 */
export async function* readCsv(source: CsvSource): AsyncGenerator<CsvRecord, void> {
  const text = decoded(source);
  const { delimiter, line, begin } = await beginningOf(text);
  const records = new CsvRecords(delimiter, line);
  let since = performance.now();
  const takeTurns = async () => {
    if (performance.now() - since > TURN) {
      await pause(REST);
      since = performance.now();
    }
  };
  const recordsOf = async function* (some: Iterable<CsvRecord>) {
    for (const record of some) {
      yield record;
      await takeTurns();
    }
  };
  yield* recordsOf(records.in(begin));
  for await (const piece of text) {
    yield* recordsOf(records.in(piece));
    await takeTurns();
  }
  yield* recordsOf(records.end());
}

interface Beginning {
  delimiter: string;
  /** The number of the first line of {@link begin}. */
  line: number;
  /** The text read to detect it, without anything before the header. */
  begin: string;
}

/**
 * The delimiter is that of a first line `sep=;`, as spreadsheets write and read it; else the most frequent of comma,
 * semicolon and tab in the header outside of quotation marks. Column names contain none of them; cells may, as lists
 * of tags do.
 */
async function beginningOf(text: AsyncGenerator<string, void>): Promise<Beginning> {
  let begin = '';
  while (begin.length < LONGEST_HEADER && !/[\r\n]./su.test(begin.trimStart())) {
    const next = await text.next();
    if (next.done === true) {
      break;
    }
    begin += next.value;
  }
  begin = begin.replace(/^\ufeff/, '');
  const [named, delimiter] = /^"?sep=([^\w"\s]|\t)"?(?:\r\n|\n|\r|$)/i.exec(begin) ?? [];
  if (named !== undefined && delimiter !== undefined) {
    return { delimiter, line: 2, begin: begin.slice(named.length) };
  }
  const [header = ''] = begin
    .replace(/"(?:[^"]|"")*"/g, '')
    .replace(/^[\r\n]+/, '')
    .split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((each) => header.split(each).length);
  const most = counts.indexOf(greatestOf(counts));
  return { delimiter: DELIMITERS[most] ?? ',', line: 1, begin };
}

/** The first one wins a tie. */
const DELIMITERS = [',', ';', '\t'];

/** Characters. A longer header names unknown columns. */
const LONGEST_HEADER = 65_536;

async function* decoded(source: CsvSource): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let isFirst = true;
  for await (const bytes of piecesOf(source)) {
    if (isFirst && isWorkbook(bytes)) {
      throw new CsvFault(line, IS_WORKBOOK);
    }
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

/** A piece without records is handled at once. So pieces are small. */
async function* piecesOf(source: CsvSource): AsyncGenerator<Buffer, void> {
  for await (const bytes of source()) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield bytes.subarray(at, at + PIECE);
    }
  }
}

/** Bytes. */
const PIECE = 16_384;

const NOT_UTF8 =
  'on this line, or one soon after it, the file is not UTF-8 (it may be Windows-1252, as Excel\'s plain "CSV" is); save it as "CSV UTF-8" and try again';

/** `.xlsx` and `.ods` are ZIP archives, `.xls` is a compound file. */
function isWorkbook(bytes: Buffer): boolean {
  return WORKBOOKS.some((begin) => bytes.subarray(0, begin.length).equals(begin));
}

const WORKBOOKS = ['504b0304', 'd0cf11e0a1b11ae1'].map((begin) => Buffer.from(begin, 'hex'));

const IS_WORKBOOK =
  'the file is a workbook of a spreadsheet program (such as .xlsx), not CSV; open it there, save it as "CSV UTF-8" and try again';

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
  for (const byte of bytes) {
    count += byte === 10 ? 1 : 0;
  }
  return count;
}
