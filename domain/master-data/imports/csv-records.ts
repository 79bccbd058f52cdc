import { AppError } from '../../../base/errors.ts';

export interface CsvRecord {
  /** Line of its first character, from 1; a record can span lines. */
  line: number;
  cells: string[];
}

/** Cells beyond this must be empty. */
export const MOST_COLUMNS = 200;

/** Characters. A longer record is an unclosed quotation mark. */
const LONGEST_RECORD = 2_097_152;

const [LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE, NO_BREAK_SPACE] = [10, 13, 32, 34, 160] as const;

export class CsvFault extends AppError {
  readonly line: number;
  readonly what: string;

  constructor(line: number, what: string) {
    super('invalid_input', `line ${line}: ${what}`);
    this.line = line;
    this.what = what;
  }
}

/**
 * Splits CSV text (RFC 4180), given in pieces, into records. Records without content are skipped: blank lines, and rows
 * of delimiters only. The cost of a character does not depend on the text, and no record takes more memory than {@link
 * MOST_COLUMNS} and {@link LONGEST_RECORD} allow. csv-parse, which tests use, spends 18 us on a record without content,
 * and a MiB may have a million.
 */
export class CsvRecords {
  readonly #delimiter: number;
  #line: number;
  #begin: number;
  #cells: string[] = [];
  /** The beginning of the current cell, from earlier pieces. */
  #cell = '';
  #at: 'begin' | 'plain' | 'quoted' | 'behind' = 'begin';
  #length = 0;
  #hasContent = false;
  #isAfterReturn = false;

  /** @param line the number of the first line. */
  constructor(delimiter: string, line: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#line = line;
    this.#begin = line;
  }

  /** @throws CsvFault for invalid CSV. */
  *in(text: string): Generator<CsvRecord, void> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isPairedFeed = code === LINE_FEED && this.#isAfterReturn;
      this.#isAfterReturn = code === CARRIAGE_RETURN;
      const isBreak = (code === LINE_FEED || code === CARRIAGE_RETURN) && !isPairedFeed;
      this.#line += isBreak ? 1 : 0;
      this.#length += 1;
      if (this.#at === 'quoted') {
        if (code === QUOTE) {
          this.#cell += text.slice(from, at);
          this.#at = 'behind';
        } else if (!isBlank(code)) {
          this.#hasContent = true;
        }
      } else if (code === QUOTE && this.#at === 'behind') {
        // Two quotation marks stand for one.
        from = at;
        this.#at = 'quoted';
        this.#hasContent = true;
      } else if (code === QUOTE && this.#at === 'begin') {
        from = at + 1;
        this.#at = 'quoted';
      } else if (code === this.#delimiter || isBreak) {
        this.#endCell(this.#at === 'behind' ? '' : text.slice(from, at));
        from = at + 1;
        if (isBreak && this.#hasContent) {
          yield this.#endRecord();
        } else if (isBreak) {
          this.#cells.length = 0;
          this.#beginRecord();
        }
      } else if (isPairedFeed) {
        // The carriage return before it ended the record.
        from = at + 1;
      } else if (this.#at === 'behind') {
        throw this.#fault('text follows a closing quotation mark: double the quotation marks inside a cell');
      } else if (code === QUOTE) {
        throw this.#fault(
          'a quotation mark inside a cell: put the cell in quotation marks, and double those in it',
        );
      } else {
        this.#at = 'plain';
        this.#hasContent ||= !isBlank(code);
      }
    }
    if (this.#at !== 'behind') {
      this.#cell += text.slice(from);
    }
    if (this.#length > LONGEST_RECORD) {
      throw this.#fault(
        this.#at === 'quoted' ? UNCLOSED : `the row has more than ${LONGEST_RECORD} characters`,
      );
    }
  }

  /** The last record, unless a line break is behind it. @throws CsvFault if it is not complete. */
  *end(): Generator<CsvRecord, void> {
    if (this.#at === 'quoted') {
      throw this.#fault(UNCLOSED);
    }
    this.#endCell('');
    if (this.#hasContent) {
      yield this.#endRecord();
    }
  }

  #endCell(rest: string): void {
    const cell = this.#cell + rest;
    if (this.#cells.length < MOST_COLUMNS) {
      this.#cells.push(cell);
    } else if (cell !== '') {
      throw this.#fault(`the row has more than ${MOST_COLUMNS} cells`);
    }
    this.#cell = '';
    this.#at = 'begin';
  }

  #endRecord(): CsvRecord {
    const record = { line: this.#begin, cells: this.#cells };
    this.#cells = [];
    this.#beginRecord();
    return record;
  }

  #beginRecord(): void {
    this.#begin = this.#line;
    this.#length = 0;
    this.#hasContent = false;
  }

  #fault(what: string): CsvFault {
    return new CsvFault(this.#begin, what);
  }
}

const UNCLOSED = 'a quotation mark is opened that is not closed';

function isBlank(code: number): boolean {
  return code <= SPACE || code === NO_BREAK_SPACE;
}
