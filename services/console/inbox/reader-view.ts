import type { ReaderReference } from '../../../domain/administration/readers/reader-references.ts';

export function readerView(id: number | null, readers: ReadonlyMap<number, ReaderReference>) {
  return id === null ? null : { id, name: readers.get(id)?.name ?? String(id) };
}
