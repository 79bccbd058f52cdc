import { Counter, Gauge, type Registry } from 'prom-client';
import { REFUSALS, type Refusal } from './body-refusals.ts';

/** @returns a counter of requests whose body was not read, or not to its end. */
export function measureBodies(registry: Registry, bytes: () => number): Counter<'why'> {
  new Gauge({
    name: 'tagtrail_http_bodies_bytes',
    help: 'Room taken by request bodies of more than 16 KiB, from before they are read until they are answered.',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  const refusals = new Counter({
    name: 'tagtrail_http_bodies_refused_total',
    help: 'Request bodies not read to their end: crowded (too many waited), waited (no room in time), stalled (came too slowly while others waited), late (not sent in time).',
    labelNames: ['why'] as const,
    registers: [registry],
  });
  for (const why of REFUSALS satisfies readonly Refusal[]) {
    refusals.inc({ why }, 0);
  }
  return refusals;
}
