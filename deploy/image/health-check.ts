import { readFileSync } from 'node:fs';

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
];

const command = readFileSync(`/proc/${process.argv[2] ?? '1'}/cmdline`, 'utf8');
const service = SERVICES.find(({ name }) => command.includes(`services/${name}/main.ts`));
if (service !== undefined) {
  const answer = await fetch(`http://127.0.0.1:${service.port}/healthz`, {
    signal: AbortSignal.timeout(4_000),
  }).catch(() => null);
  process.exitCode = answer?.ok === true ? 0 : 1;
}
