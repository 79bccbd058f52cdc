import { append } from '../../../base/append.ts';
import { greatestOf } from '../../../base/extremes.ts';
import { isFaultOfData } from '../../../db/timescale/connections/sql-state.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Queue } from './queues.ts';
import { type Order, type Sealed, sealBatch } from './seal-batch.ts';

/** An organization whose oldest event cannot be sealed. */
export interface Unsealable {
  orgId: number;
  error: unknown;
}

/**
 * Seals a batch; if a row cannot be sealed, seals organization by organization, so that one organization's bad row does
 * not keep others' events back.
 *
 * @throws errors that no row causes.
 */
export async function sealOrders(
  db: Connection,
  orders: readonly Order[],
  queue: Queue,
): Promise<{ sealed: readonly Sealed[]; unsealable: readonly Unsealable[] }> {
  try {
    return { sealed: await sealBatch(db, orders, queue), unsealable: [] };
  } catch (error) {
    if (!isFaultOfData(error)) {
      throw error;
    }
  }
  const sealed: Sealed[] = [];
  const unsealable: Unsealable[] = [];
  for (const order of orders) {
    const done = await sealUpToFault(db, order, queue);
    append(sealed, done.sealed);
    if (done.fault !== null) {
      unsealable.push(done.fault);
    }
  }
  return { sealed, unsealable };
}

/** Halves the share until all before the bad row is sealed, and that row is alone. */
async function sealUpToFault(
  db: Connection,
  { orgId, after, share: most }: Order,
  queue: Queue,
): Promise<{ sealed: readonly Sealed[]; fault: Unsealable | null }> {
  const all: Sealed[] = [];
  for (let share = most; ; ) {
    try {
      const sealed = await sealBatch(db, [{ orgId, after, share }], queue);
      append(all, sealed);
      if (share === most || (sealed[0]?.rows ?? 0) < share) {
        return { sealed: joined(all), fault: null };
      }
    } catch (error) {
      if (!isFaultOfData(error)) {
        throw error;
      }
      if (share === 1) {
        return { sealed: joined(all), fault: { orgId, error } };
      }
      share = Math.floor(share / 2);
    }
  }
}

/** As if it had been one batch. */
function joined(all: readonly Sealed[]): readonly Sealed[] {
  const last = all.at(-1);
  return last === undefined
    ? []
    : [
        {
          ...last,
          rows: all.reduce((sum, { rows }) => sum + rows, 0),
          age: greatestOf(all.map(({ age }) => age)),
        },
      ];
}
