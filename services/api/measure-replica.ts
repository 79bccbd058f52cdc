import { Counter, Gauge, type Registry } from 'prom-client';
import type { OrganizationDoor } from '../../db/timescale/connections/organization-door.ts';

export function measureReplica(registry: Registry, { replicaReads: reads }: OrganizationDoor): void {
  if (reads === null) {
    return;
  }
  new Counter({
    name: 'tagtrail_replica_lists_total',
    help: 'Lists and reports that may read much, by who answered: replica or primary.',
    labelNames: ['answered_by'] as const,
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ answered_by: 'replica' }, reads.byReplica);
      this.inc({ answered_by: 'primary' }, reads.byPrimary);
    },
  });
  new Gauge({
    name: 'tagtrail_replica_behind_bytes',
    help: 'Log of the primary that the replica lacked when it was last asked for a list.',
    registers: [registry],
    collect() {
      this.set(reads.bytesBehind);
    },
  });
}
