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
  /** The beginning of the first absence that was merged into this one. */
  chainSince: Micros;
}

/** As for stretches of messages (`reader_spans`). */
const GAP: Micros = 15 * MICROS_PER_SECOND;

/** When a reader was away, by its changes. Of absences shorter than a gap, with connections as short between, the last. */
export function absencesOf(changes: readonly ConnectionChange[]): Absence[] {
  const absences: Absence[] = [];
  for (const { at, isConnected } of changes) {
    const last = absences.at(-1);
    if (isConnected) {
      if (last?.until === null) {
        last.until = at;
      }
    } else if (last?.until !== null) {
      const isShort = last !== undefined && at - last.until <= GAP && last.until - last.since < GAP;
      if (isShort) {
        absences.pop();
      }
      absences.push({ since: at, until: null, chainSince: isShort ? last.chainSince : at });
    }
  }
  return absences;
}
