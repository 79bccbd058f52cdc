import type { Transition } from '../../domain/tracking/history/history.ts';

/** A change of a history as `unsealed_moves` and `moves` have it. */
export interface FeedMove {
  kind: 'moved' | 'corrected';
  location_id: number | null;
  since: number | null;
  duration_seconds: number | null;
  rows: Partial<Record<'added' | 'removed' | 'changed', ToldRow[]>> | null;
}

/** Instant, location, duration; of a changed row also location and duration before. */
export type ToldRow = [number, number, number | null, ...unknown[]];

/** What an asset's changes, applied in order to an empty history, make of it. */
export function folded(moves: readonly FeedMove[]): Transition[] {
  const history = new Map<number, Transition>();
  for (const move of moves) {
    for (const [instant] of move.rows?.removed ?? []) {
      history.delete(instant);
    }
    for (const [observedAt, locationId, durationSeconds] of rowsOf(move)) {
      history.set(observedAt, { observedAt, locationId, durationSeconds });
    }
  }
  return [...history.values()].sort((a, b) => a.observedAt - b.observedAt);
}

function rowsOf({ kind, since, location_id, duration_seconds, rows }: FeedMove): ToldRow[] {
  return kind === 'moved'
    ? [[since ?? Number.NaN, location_id ?? Number.NaN, duration_seconds]]
    : [...(rows?.added ?? []), ...(rows?.changed ?? [])];
}
