import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';

/**
 * Says by its exit status whether this container is alive: asks `/healthz` of the service that process 1 is (the first
 * argument may name another process). A command of the command line has nothing to ask; it is alive while it runs.
 *
 * Alive is not ready: a database that is away mends nothing by a restart.
 */
const SERVICES = [
  { name: 'api', port: process.env['API_PORT'] ?? '8080' },
  { name: 'handheld-gateway', port: process.env['HANDHELD_PORT'] ?? '8081' },
  { name: 'console', port: process.env['CONSOLE_PORT'] ?? '8083' },
  { name: 'mqtt-ingest', port: process.env['INGEST_PORT'] ?? '8082' },
  { name: 'worker', port: process.env['WORKER_PORT'] ?? '8084' },
];

const command = readFileSync(`/proc/${process.argv[2] ?? '1'}/cmdline`, 'utf8');
const service = SERVICES.find(({ name }) => command.includes(`services/${name}/main.ts`));
if (service !== undefined) {
  const options = { host: '127.0.0.1', port: service.port, path: '/healthz', timeout: 4_000 };
  // Whether it lives is asked, and nothing is told: whatever names its certificate has.
  const request =
    (process.env['TLS_CERT_FILE'] ?? '') === ''
      ? getPlain(options)
      : getOverTls({ ...options, rejectUnauthorized: false });
  process.exitCode = 1;
  request.on('response', (answer) => {
    process.exitCode = answer.statusCode === 200 ? 0 : 1;
    request.destroy();
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => {});
}
