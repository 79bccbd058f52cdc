import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of `test/fixtures/mqtt-tls`, which says what each is. */
export function certificateFile(name: string): string {
  return fileURLToPath(new URL(`../fixtures/mqtt-tls/${name}`, import.meta.url));
}

export function certificate(name: string): string {
  return readFileSync(certificateFile(name), 'utf8');
}

export const BROKER_TLS = {
  TLS_CERT_FILE: certificateFile('broker.crt'),
  TLS_KEY_FILE: certificateFile('broker.key'),
};
