import type { RowTask } from './heavy-work.ts';
import { type RowOfFile, readRow as readRowOf } from './row.ts';

/** A row of a file, read in this thread. */
export function readRow({ resource, columns, record }: RowTask): RowOfFile {
  return readRowOf(resource, columns, record);
}
