import { Gauge, type Registry } from 'prom-client';
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
      const uses = await door.any(sql.type(rowsOf<SequenceUse>())`${SEQUENCE_USE}`).catch(() => []);
      for (const { table, share } of uses) {
        this.set({ table }, share);
      }
    },
  });
}
