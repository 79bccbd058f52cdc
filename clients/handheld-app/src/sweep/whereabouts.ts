import type { GatewayClient } from '../gateway/client.ts';
import type { Place } from '../gateway/place.ts';
import type { Database } from '../storage/database.ts';
import type { StoredScan } from '../storage/scan.ts';
import type { Whereabouts } from './standing.ts';

interface Kept {
  sweep: string;
  places: Whereabouts;
}

export async function whereaboutsOf(database: Database, sweepId: string): Promise<Whereabouts> {
  return placesOf(await database.get('kept', 'whereabouts'), sweepId);
}

/** Asks where assets are that were seen, of those in `open`; without an answer that stays open. */
export async function askWhere(
  gateway: GatewayClient,
  token: string,
  open: ReadonlySet<number>,
  answered: readonly StoredScan[],
): Promise<Map<number, Place | null>> {
  const left = new Set(open);
  const found = new Map<number, Place | null>();
  for (const { tag_type, value, result } of answered) {
    if (result?.status === 'seen' && result.asset !== null && left.delete(result.asset.id)) {
      const answer = await gateway.whereIs(token, { tag_type, value });
      if (answer.kind === 'ok') {
        found.set(result.asset.id, answer.data);
      }
    }
  }
  return found;
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
