import type { FieldIssue } from '../../../base/checks/issues.ts';
import { greatestOf } from '../../../base/extremes.ts';
import { type CsvSource, readCsv } from '../imports/csv.ts';
import { CsvFault } from '../imports/csv-records.ts';

/** What is wrong with a file, and where. */
export interface FileFault {
  line: number;
  column: string;
  /** The cell, cut if it is long; null if the fault is of the line or the file. */
  value: string | null;
  code: string;
  message: string;
}

/** UTF-16 units. */
const LONGEST_VALUE = 200;

/** Reads the file once more, for what the cells say. */
export async function faultsOf(source: CsvSource, issues: readonly FieldIssue[]): Promise<FileFault[]> {
  const faults = issues.map(faultOf);
  const byLine = Map.groupBy(faults, ({ line }) => line);
  const last = greatestOf(byLine.keys());
  let columns: string[] | null = null;
  try {
    for await (const { line, cells } of readCsv(source)) {
      if (line > last) {
        break;
      }
      columns ??= cells.map((cell) => cell.trim().toLowerCase());
      for (const fault of byLine.get(line) ?? []) {
        fault.value = cellOf(cells, columns.indexOf(fault.column));
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) {
      throw error;
    }
  }
  return faults;
}

function faultOf({ field, code, message, params }: FieldIssue): FileFault {
  const line = Number(params?.['line'] ?? 1);
  const prefix = `line ${line}: `;
  return {
    line,
    // `tags[0].value` is in the column `tags`.
    column: /^\w+/.exec(field)?.[0] ?? field,
    value: null,
    code,
    message: message.startsWith(prefix) ? message.slice(prefix.length) : message,
  };
}

function cellOf(cells: readonly string[], index: number): string | null {
  const cell = cells[index] ?? null;
  return cell === null || cell.length <= LONGEST_VALUE
    ? cell
    : `${cell.slice(0, LONGEST_VALUE)}…`.toWellFormed();
}
