import { Gauge, type Registry } from 'prom-client';
import type { DatabaseClock } from '../../../domain/tracking/database-clock.ts';

export function measureClock(registry: Registry, databaseClock: DatabaseClock): void {
  new Gauge({
    name: 'tagtrail_ingest_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's; negative if behind. Beyond 5 s nothing is recorded.",
    registers: [registry],
    collect() {
      this.set(databaseClock.ahead);
    },
  });
}
