import { type FieldIssue, invalidValue, required } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { findLiveByKeys, type Keyed } from '../by-id-or-key.ts';
import { type CsvSource, readCsv } from './csv.ts';
import { CsvFault } from './csv-records.ts';
import { CSV_COLUMNS, type NamedColumn, readHeader } from './given-row.ts';
import { type HeavyWork, LARGE_ROW } from './heavy-work.ts';
import { type ImportRow, type RowOfFile, readRow } from './row.ts';

/** Bytes (10 MiB) and rows of the largest file. */
export const FILE_LIMIT = 10_485_760;
export const ROW_LIMIT = 50_000;

export interface FileNotes {
  problems: FileProblems;
  keys: FileKeys;
  /** Faulty rows without a name, by key: only the database knows whether that is another fault. */
  nameless: Map<string, number>;
}

/** Rows in which the file alone shows no fault; faults of the others are recorded. */
export async function* readRows(
  resource: Keyed,
  source: CsvSource,
  notes: FileNotes,
  heavy: HeavyWork,
): AsyncGenerator<ImportRow, void> {
  const { problems } = notes;
  let columns: readonly NamedColumn[] | null = null;
  let count = 0;
  try {
    for await (const record of readCsv(source)) {
      if (columns === null) {
        const header = readHeader(CSV_COLUMNS[resource], record.cells);
        if (!header.ok) {
          problems.note(record.line, header.issues);
          return;
        }
        columns = header.value;
        continue;
      }
      count += 1;
      if (count > ROW_LIMIT) {
        problems.note(record.line, [tooManyRows()]);
        return;
      }
      const isLarge = record.cells.reduce((sum, cell) => sum + cell.length, 0) > LARGE_ROW;
      const row = isLarge
        ? await heavy.readLargeRow({ resource, columns, record })
        : readRow(resource, columns, record);
      const issues = issuesOf(row, notes);
      if (issues.length > 0) {
        problems.note(row.line, issues, row.read.ok ? 0 : row.read.leftOut);
      } else if (row.read.ok) {
        const keyCell = record.cells[columns.indexOf('external_key')] ?? '';
        yield { line: row.line, given: row.read.value, keyCell };
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) {
      throw error;
    }
    problems.note(error.line, [{ field: 'file', code: 'invalid_value', message: error.what }]);
    return;
  }
  if (columns === null) {
    problems.note(1, [invalidValue('file', 'is empty; its first line must name the columns')]);
  }
}

function issuesOf(
  { line, externalKey, isNamed, read }: RowOfFile,
  { keys, nameless }: FileNotes,
): FieldIssue[] {
  const issues = read.ok ? [] : [...read.issues];
  const earlier = externalKey === undefined ? undefined : keys.note(externalKey, line);
  if (earlier !== undefined) {
    issues.push(invalidValue('external_key', `${externalKey} is on line ${earlier} already`));
  }
  if (isNamed) {
    return issues;
  }
  if (externalKey === undefined) {
    // Without a valid key the row is new, whatever the database has.
    issues.push(required('name'));
  } else if (issues.length > 0 && earlier === undefined) {
    nameless.set(externalKey, line);
  }
  return issues;
}

function tooManyRows(): FieldIssue {
  const message = `file must have at most ${ROW_LIMIT} rows`;
  return { field: 'file', code: 'too_long', message, params: { max_length: ROW_LIMIT } };
}

export interface RowIssue {
  line: number;
  issue: FieldIssue;
}

export class FileProblems {
  readonly #issues: RowIssue[] = [];
  leftOut = 0;
  readonly #lines = new Set<number>();
  /** How messages name a row. */
  readonly place: (line: number) => string;

  constructor(place = (line: number) => `line ${line}`) {
    this.place = place;
  }

  get areThere(): boolean {
    return this.#issues.length > 0;
  }

  /** Faulty ones, those left out included. */
  get lines(): ReadonlySet<number> {
    return this.#lines;
  }

  inOrder(): RowIssue[] {
    return this.#issues.toSorted((a, b) => a.line - b.line);
  }

  note(line: number, found: readonly FieldIssue[], leftOut = 0): void {
    this.leftOut += leftOut;
    this.#lines.add(line);
    for (const issue of found) {
      if (this.#issues.length === MOST_SHOWN) {
        this.leftOut += 1;
      } else {
        this.#issues.push({ line, issue });
      }
    }
  }
}

/** The issues of a file as the API answers them. */
export function issuesOfFile(issues: readonly RowIssue[]): FieldIssue[] {
  return issues.map(({ line, issue: { field, code, message, params } }) => ({
    ...{ field, code, message: `line ${line}: ${message}` },
    params: { line, ...params },
  }));
}

export const MOST_SHOWN = 1_000;

/** Keys of a file by line; faulty rows included, if they have one. */
export class FileKeys {
  readonly #lines = new Map<string, number>();

  /** @returns the line that has the key already; undefined if this is the first. */
  note(externalKey: string, line: number): number | undefined {
    const earlier = this.#lines.get(externalKey);
    if (earlier === undefined) {
      this.#lines.set(externalKey, line);
    }
    return earlier;
  }

  has(externalKey: string): boolean {
    return this.#lines.has(externalKey);
  }
}

const GROUP = 1_000;

/** Notes faulty rows that also lack a name: those with an unused key. */
export async function refuseNameless(
  transaction: OrganizationConnection,
  resource: Keyed,
  { nameless, problems }: FileNotes,
): Promise<void> {
  const keys = [...nameless.keys()];
  for (let at = 0; at < keys.length; at += GROUP) {
    const group = keys.slice(at, at + GROUP);
    const found = new Set(
      (await findLiveByKeys(transaction, resource, transaction.orgId, group)).map(
        ({ external_key }) => external_key,
      ),
    );
    for (const key of group.filter((each) => !found.has(each))) {
      problems.note(nameless.get(key) ?? 0, [required('name')]);
    }
  }
}
