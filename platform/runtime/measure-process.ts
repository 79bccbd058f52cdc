import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { ServerTls } from './server-tls.ts';

/** Milliseconds. The library's default of ten takes a third of an idle process's time. */
const PRECISION = 100;

/** Exports processor time, memory, garbage collection and delays of the event loop. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION });
}

export function measureCertificate(registry: Registry, tls: ServerTls | null): void {
  if (tls !== null) {
    new Gauge({
      name: 'tagtrail_tls_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of TLS_CERT_FILE expires',
      registers: [registry],
      collect() {
        this.set(tls.expiresAt / 1_000);
      },
    });
  }
}
