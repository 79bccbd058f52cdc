import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import type { LoggedChange, WantedChanges } from '../../../domain/changes/list-changes.ts';

/** Of the page behind this change: when it was made, and its id. */
export function cursorBehind({ at, id }: LoggedChange): string {
  return `${toMicros(fromDatabase(at))}-${id}`;
}

/** @throws Invalid */
export function readCursor(cursor: string): NonNullable<WantedChanges['before']> {
  const [, at, id] = /^(\d{1,16})-(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) {
    throw invalid([invalidValue('cursor', 'must be `next` of an answer, as it was')]);
  }
  return { at: Number(at), id: Number(id) };
}
