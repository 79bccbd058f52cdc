import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { until } from './subscribed-ingest.ts';

const run = promisify(execFile);

/**
 * A primary and its standby, both embedded servers of the caller's own. A commit is acknowledged when the standby has it.
 */
export interface ReplicatedDatabase {
  /** Of the migrated database, by way of both servers, the standby named first. */
  url: string;
  /** Of the servers by themselves. */
  primary: string;
  standby: string;
  killPrimary(): void;
  /** Starts the one that was killed again, as a primary beside the one that was promoted. */
  restartPrimary(): Promise<void>;
  killStandby(): void;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

export async function startReplicated(): Promise<ReplicatedDatabase> {
  const [data, copy] = [0, 1].map(() => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-replicated-'));
    chmodSync(folder, 0o711);
    return folder;
  }) as [string, string];
  let first: EmbeddedDatabase = await startEmbedded({ data, durable: false });
  await createDatabase(withDatabase(first.url, NAME));
  await migrate(withDatabase(first.url, NAME));
  await first.stop();
  await run('cp', ['-a', join(data, 'postgres'), copy]);
  first = await startEmbedded({ data, durable: false });
  follow(join(copy, CLUSTER), new URL(first.url));
  const second = await startEmbedded({ data: copy, durable: false });
  const [primary, standby] = [first, second].map(({ url }) => withDatabase(url, NAME)) as [string, string];
  await onServer(primary, async (client) => {
    await until(async () => (await client.query('select from pg_stat_replication')).rowCount === 1);
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query('select pg_reload_conf()');
    await until(async () => {
      const { rows } = await client.query('select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    });
  });
  return {
    url: primary.replace(/@([^/]+)/, `@${new URL(standby).host},$1`),
    primary,
    standby,
    killPrimary: () => kill(data),
    restartPrimary: async () => {
      first = await startEmbedded({ data, durable: false, port: Number(new URL(primary).port) });
    },
    killStandby: () => kill(copy),
    promote: () => onServer(standby, async (client) => void (await client.query('select pg_promote()'))),
    remove: async () => {
      await Promise.all([first.stop(), second.stop()]);
      for (const folder of [data, copy]) {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

const NAME = 'tagtrail';
const CLUSTER = 'postgres/cluster';

/** Makes a copy of a server's files those of its standby. */
function follow(cluster: string, { port, username, password }: URL): void {
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  cpSync(join(cluster, 'PG_VERSION'), join(cluster, 'standby.signal'));
}

function kill(folder: string): void {
  const [pid] = readFileSync(join(folder, CLUSTER, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

async function onServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(connectionConfig(url, 'test'));
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
