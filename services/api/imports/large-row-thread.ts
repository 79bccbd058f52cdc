import type { RowTask } from '../../../domain/master-data/imports/heavy-work.ts';
import { type RowOfFile, readRow as readRowOf } from '../../../domain/master-data/imports/row.ts';

export function readRow({ resource, columns, record }: RowTask): RowOfFile {
  return readRowOf(resource, columns, record);
}
