import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';

/** Sees what becomes of every row that the file alone does not disqualify. */
export interface Onlooker {
  /** Called again if the transaction is retried. */
  begin(): void;
  /** @param change null if nothing changes. */
  row(row: ImportRow, change: RowChange | null): void;
}
