import { Gauge, type Registry } from 'prom-client';
import { RecentReads } from '../../base/recent-reads.ts';
import type { AccessDoor } from '../../db/timescale/connections/access-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { SEQUENCE_USE, type SequenceUse } from '../../db/timescale/schema/sequence-use.ts';

export function measureSequences(registry: Registry, door: Pick<AccessDoor, 'any'>): void {
  new Gauge({
    name: 'tagtrail_ids_used_ratio',
    help: 'Share of the ids for rows of a table that were drawn: 0 to 1.',
    labelNames: ['table'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      // `tagtrail_check_up` reports an unavailable database.
      const uses = await readUses(door).catch(() => []);
      for (const { table, share } of uses) {
        this.set({ table }, share);
      }
    },
  });
}

/** @throws the reason if there are rows that cannot be created any more. */
export async function requireIds(door: Pick<AccessDoor, 'any'>): Promise<void> {
  const uses = await recent.read(door, () => readUses(door));
  const usedUp = uses.filter(({ share }) => share >= 1).map(({ table }) => table);
  if (usedUp.length > 0) {
    throw new Error(`no ids are left for new rows of ${usedUp.join(', ')}`);
  }
}

function readUses(door: Pick<AccessDoor, 'any'>): Promise<readonly SequenceUse[]> {
  return door.any(sql.type(rowsOf<SequenceUse>())`${SEQUENCE_USE}`);
}

/** However many ask, as anybody may. */
const recent = new RecentReads<object, readonly SequenceUse[]>(1_000);
