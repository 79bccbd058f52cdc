import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';
import { readTlsFiles, type TlsFiles } from '../../../platform/runtime/tls-files.ts';

/** Days before its end from which a certificate is warned of. */
const SOON = 14;

/** @param now milliseconds since 1970. */
export function examineCertificate(files: TlsFiles, now: number): Finding[] {
  const material = readTlsFiles(files);
  if (material === null) {
    return [];
  }
  const days = Math.floor((material.expiresAt - now) / (MICROS_PER_DAY / 1_000));
  const until = new Date(material.expiresAt).toISOString().slice(0, 10);
  const remedy = 'Renew it and replace both files; running processes take up the new one by themselves';
  if (days < 0) {
    return [fault('certificate', `The certificate of TLS_CERT_FILE expired on ${until}`, remedy)];
  }
  const message = `The certificate of TLS_CERT_FILE is good until ${until}`;
  return [days < SOON ? warning('certificate', message, remedy) : ok('certificate', message)];
}
