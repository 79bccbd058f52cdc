import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Milliseconds: the library's ten take a third of what a process takes that has nothing to do. */
const PRECISION = 100;

/** Exports processor time, memory, garbage collection and delays of the event loop. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION });
}
