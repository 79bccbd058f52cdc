import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberCell } from '../../../db/timescale/cells/cells.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { startEmbedded } from '../../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { newSecretsKey } from '../../../domain/webhooks/secrets/secrets-key.ts';
import { type TestDatabase, truncate } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { type CellPorts, type Haproxy, startHaproxy } from '../../support/haproxy.ts';
import { type Program, run } from '../../support/process.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { startCrashingTimescale } from '../crashing-server.ts';

/** Two whole cells, each a process of everything on a database of its own, behind HAProxy. */
export interface TwoCells {
  databases: readonly [TestDatabase, TestDatabase];
  haproxy: Haproxy;
  /** Starts what serves them. */
  serve(): Promise<void>;
  remove(): Promise<void>;
}

export async function makeTwoCells(isTimescale: boolean): Promise<TwoCells> {
  const server = isTimescale ? await startTimescale() : await startEmbeddedServer();
  const databases = [await open(server.url, 1), await open(server.url, 2)] as const;
  const ports = [await portsOfCell(), await portsOfCell()] as const;
  const haproxy = await startHaproxy(ports, '127.0.0.1');
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-cells-'));
  const programs: Program[] = [];
  return {
    databases,
    haproxy,
    serve: async () => {
      const secretsKey = newSecretsKey();
      databases.forEach(({ url }, index) => {
        programs.push(
          startCell(url, ports[index] as CellPorts, { folder: join(folder, `${index}`), secretsKey }),
        );
      });
      const ended = Promise.race(programs.map((program) => endedEarly(program)));
      await Promise.race([
        ended,
        until(async () => (await Promise.all(KEYS.map((key) => isLed(haproxy, key)))).every(Boolean)),
      ]);
      // Whatever ends later shows in what is answered.
      ended.catch(() => {});
    },
    remove: async () => {
      programs.forEach(({ child }) => {
        child.kill('SIGTERM');
      });
      await Promise.all(programs.map(({ ended }) => ended));
      await haproxy.stop();
      await Promise.all(databases.map(({ pool }) => pool.end()));
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Server {
  url: string;
  remove(): Promise<void>;
}

async function startTimescale(): Promise<Server> {
  const server = await startCrashingTimescale();
  await replicateLogically(server.url);
  await server.restart();
  return server;
}

async function startEmbeddedServer(): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'tagtrail-cells-'));
  chmodSync(data, 0o711);
  const options = { data, durable: true };
  const first = await startEmbedded(options);
  await replicateLogically(first.url);
  await first.stop();
  const { url, stop } = await startEmbedded(options);
  return {
    url,
    remove: async () => {
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function replicateLogically(url: string): Promise<void> {
  const administrator = createWritePool(url, { max: 1 });
  await administrator.query('alter system set wal_level = logical');
  await administrator.end();
}

async function open(serverUrl: string, number: number): Promise<TestDatabase> {
  const url = withDatabase(serverUrl, `cell_${number}`);
  await createDatabase(url);
  await migrate(url);
  await numberCell(url, number);
  const pool = createWritePool(url, { max: 4, applicationName: 'test' });
  return {
    url,
    pool,
    rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
    empty: (tables) => truncate(pool, tables),
    beforeDrop: () => {},
  };
}

async function portsOfCell(): Promise<Required<CellPorts>> {
  return {
    api: await freePort(),
    scan: await freePort(),
    console: await freePort(),
    mqtt: await freePort(),
  };
}

function startCell(
  url: string,
  ports: CellPorts,
  { folder, secretsKey }: { folder: string; secretsKey: string },
): Program {
  return run('services/standalone/main.ts', [], {
    DATABASE_URL: url,
    SECRETS_KEY: secretsKey,
    TAGTRAIL_DATA: folder,
    API_PORT: String(ports.api),
    HANDHELD_PORT: String(ports.scan),
    CONSOLE_PORT: String(ports.console),
    MQTT_PORT: String(ports.mqtt),
    READERS_PORT: '0',
    // As many as the writers send.
    RATE_LIMIT_PER_MINUTE: '60000',
    RATE_LIMIT_BURST: '10000',
  });
}

async function endedEarly({ ended, stderr }: Program): Promise<never> {
  throw new Error(`a cell ended with ${await ended}: ${stderr()}`);
}

/** Of each cell, as far as a router can tell. */
const KEYS = ['tt_x', 'tt2_x'];

/** Refused by the cell, not by the router. */
async function isLed({ httpPort }: Haproxy, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}_x` };
  return (await fetch(`http://127.0.0.1:${httpPort}/api/v1/assets`, { headers })).status === 401;
}
