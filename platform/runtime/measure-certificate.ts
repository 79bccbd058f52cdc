import { Gauge, type Registry } from 'prom-client';
import type { ServerTls } from './server-tls.ts';

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
