import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from './programs.ts';

export function usePgBouncer(): void {
  useProgram('pgbouncer');
}

/** A real PgBouncer in front of the suite's database, until that is dropped. @returns its address. */
export async function startPgBouncer(database: TestDatabase, settings: readonly string[]): Promise<string> {
  const { url, stop } = await runPgBouncer(database.url, settings);
  database.beforeDrop(stop);
  return url;
}

interface PgBouncer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** A real PgBouncer in front of a database. */
export function runPgBouncer(databaseUrl: string, settings: readonly string[]): Promise<PgBouncer> {
  const target = new URL(databaseUrl);
  const name = target.pathname.slice(1);
  const password = target.password === '' ? '' : ` password=${decodeURIComponent(target.password)}`;
  return startByConfiguration(databaseUrl, (port) =>
    [
      '[databases]',
      `${name} = host=${target.hostname} port=${target.port} dbname=${name} user=${target.username}${password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'auth_type = any',
      'unix_socket_dir =',
      ...settings,
    ].join('\n'),
  );
}

/**
 * @param configuration what is in `pgbouncer.ini`, for the port and the folder it may write to.
 * @returns with the address that is `databaseUrl` by way of it.
 */
export async function startByConfiguration(
  databaseUrl: string,
  configuration: (port: number, folder: string) => string,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-pgbouncer-'));
  chmodSync(folder, 0o777);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configuration(port, folder));
  // It refuses to run as root.
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', [...asOther, file], {
    env: PROGRAM_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  };
  for await (const line of child.stderr.setEncoding('utf8')) {
    if (/process up/.test(line)) {
      break;
    }
  }
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, pid: child.pid ?? 0, stop };
}
