import type { Database } from '../storage/database.ts';
import type { Whereabouts } from './standing.ts';

interface Kept {
  sweep: string;
  places: Whereabouts;
}

export async function whereaboutsOf(database: Database, sweepId: string): Promise<Whereabouts> {
  return placesOf(await database.get('kept', 'whereabouts'), sweepId);
}

/** Stores such answers, of one sweep at a time. */
export async function keepWhereabouts(
  database: Database,
  sweepId: string,
  found: Whereabouts,
): Promise<void> {
  const transaction = database.transaction('kept', 'readwrite');
  const before = placesOf(await transaction.store.get('whereabouts'), sweepId);
  const kept: Kept = { sweep: sweepId, places: new Map([...before, ...found]) };
  await transaction.store.put(kept, 'whereabouts');
  await transaction.done;
}

function placesOf(value: unknown, sweepId: string): Whereabouts {
  const kept = value as Kept | undefined;
  return kept?.sweep === sweepId ? kept.places : new Map();
}
