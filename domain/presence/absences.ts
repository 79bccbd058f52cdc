import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** A reader's first connection was opened, or its last one ended. */
export interface ConnectionChange {
  at: Micros;
  isConnected: boolean;
}

export interface Absence {
  since: Micros;
  /** Null if it is not over. */
  until: Micros | null;
}

/** As between stretches of messages (`reader_spans`). */
const GAP: Micros = 15 * MICROS_PER_SECOND;

/** When a reader was away, by its changes; connections shorter than a gap end no absence. */
export function absencesOf(changes: readonly ConnectionChange[]): Absence[] {
  const absences: Absence[] = [];
  for (const { at, isConnected } of changes) {
    const last = absences.at(-1);
    if (isConnected) {
      if (last?.until === null) {
        last.until = at;
      }
    } else if (last !== undefined && last.until !== null && at - last.until <= GAP) {
      last.until = null;
    } else if (last === undefined || last.until !== null) {
      absences.push({ since: at, until: null });
    }
  }
  return absences;
}
