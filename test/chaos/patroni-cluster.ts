import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { type TestDatabase, truncate } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { PROGRAM_ENVIRONMENT } from '../support/programs.ts';
import { until } from '../support/subscribed-ingest.ts';
import { sharedFolder } from './timescaledb-programs.ts';

/**
 * PostgreSQL under Patroni with etcd, three nodes on loopback: Debian's packages `patroni`, `etcd-server`,
 * `python3-etcd` and `postgresql-common`, whose account `postgres` everything runs as, which takes root; the server is that
 * of `.ci/timescaledb`.
 */
export class PatroniCluster implements TestDatabase {
  readonly isTimescale: boolean;
  readonly url: string;
  readonly pool: TestDatabase['pool'];
  readonly #folder: string;
  readonly #etcd: { child: ChildProcess; port: number };
  readonly #nodes: readonly Node[];
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor({ folder, etcd, nodes, isTimescale }: Parts) {
    this.isTimescale = isTimescale;
    this.#folder = folder;
    this.#etcd = etcd;
    this.#nodes = nodes;
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join();
    this.url = `postgres://postgres:${PASSWORD}@${hosts}/${DATABASE}?target_session_attrs=read-write`;
    this.pool = createWritePool(this.url, { max: 4, applicationName: 'test' });
  }

  /**
   * @param isTimescale whether its servers have TimescaleDB.
   * @throws if a program is missing.
   */
  static async start(isTimescale: boolean): Promise<PatroniCluster> {
    const folder = sharedFolder();
    own(folder);
    const etcd = await startEtcd(folder);
    const nodes: Node[] = [];
    for (const name of ['node1', 'node2', 'node3']) {
      nodes.push(await Node.prepare({ folder, name, etcd: etcd.port, isTimescale }));
    }
    const cluster = new PatroniCluster({ folder, etcd, nodes, isTimescale });
    for (const node of nodes) {
      node.start();
    }
    await cluster.whole();
    await createDatabase(cluster.url);
    await migrate(cluster.url);
    return cluster;
  }

  async rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  empty(tables: string): Promise<void> {
    return truncate(this.pool, tables);
  }

  beforeDrop(stop: () => Promise<unknown>): void {
    this.#stops.unshift(stop);
  }

  /** Resolves when all nodes run, and one may be promoted: it has whatever the leader acknowledges. */
  async whole(): Promise<void> {
    await until(async () => {
      const members = await this.#members();
      const timeline = members.find(({ role }) => role === 'leader')?.timeline;
      // One that is being rewound still says that it runs; it has no timeline then, or an older one.
      const isRunning = members.filter(
        (member) =>
          (member.state === 'running' || member.state === 'streaming') && member.timeline === timeline,
      );
      // The members' own view of it may be older than the last failover.
      const { leader, sync_standby: standby } = await this.#synchronized();
      return (
        isRunning.length === this.#nodes.length &&
        typeof standby === 'string' &&
        members.some(({ name, role }) => name === leader && role === 'leader')
      );
    });
  }

  /** Kills the leader's PostgreSQL; with `isWithPatroni` all of its node, whose lease has to end first. */
  async killLeader(isWithPatroni: boolean): Promise<Node> {
    const leader = await this.#leader();
    leader.kill(isWithPatroni);
    return leader;
  }

  /** By hand, to whichever node has everything. */
  async switchOver(): Promise<void> {
    const leader = await this.#leader();
    const answer = await fetch(`http://127.0.0.1:${leader.api}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name }),
    });
    if (!answer.ok) {
      throw new Error(`the switchover was refused: ${await answer.text()}`);
    }
  }

  async remove(): Promise<void> {
    for (const stop of this.#stops) {
      await stop();
    }
    await this.pool.end();
    for (const node of this.#nodes) {
      await node.stop();
    }
    this.#etcd.child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #leader(): Promise<Node> {
    let leader: Node | undefined;
    await until(async () => {
      const name = (await this.#members()).find(({ role }) => role === 'leader')?.name;
      leader = this.#nodes.find((node) => node.name === name);
      return leader !== undefined;
    });
    return leader as Node;
  }

  /** What etcd has of it. */
  async #synchronized(): Promise<{ leader?: string; sync_standby?: string | null }> {
    const answer = await fetch(`http://127.0.0.1:${this.#etcd.port}/v3/kv/range`, {
      method: 'POST',
      body: JSON.stringify({ key: btoa('/service/tagtrail/sync') }),
    });
    const { kvs } = (await answer.json()) as { kvs?: { value: string }[] };
    return kvs?.[0] === undefined ? {} : JSON.parse(atob(kvs[0].value));
  }

  async #members(): Promise<Member[]> {
    for (const { api } of this.#nodes) {
      try {
        const answer = await fetch(`http://127.0.0.1:${api}/cluster`);
        return ((await answer.json()) as { members?: Member[] }).members ?? [];
      } catch {
        // It is dead; the others know as well.
      }
    }
    return [];
  }
}

interface Parts {
  folder: string;
  etcd: { child: ChildProcess; port: number };
  nodes: readonly Node[];
  isTimescale: boolean;
}

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

interface Prepared {
  folder: string;
  name: string;
  /** Its port. */
  etcd: number;
  isTimescale: boolean;
}

/** One node: Patroni, and the PostgreSQL that it runs. */
export class Node {
  readonly name: string;
  readonly port: number;
  readonly api: number;
  readonly #data: string;
  readonly #settings: string;
  readonly #log: string;
  #child: ChildProcess | null = null;

  private constructor(name: string, folder: string, { port, api }: { port: number; api: number }) {
    this.name = name;
    this.port = port;
    this.api = api;
    this.#data = join(folder, name);
    this.#settings = join(folder, `${name}.yml`);
    this.#log = join(folder, `${name}.log`);
  }

  static async prepare({ folder, name, etcd, isTimescale }: Prepared): Promise<Node> {
    const ports = { port: await freePort(), api: await freePort() };
    const node = new Node(name, folder, ports);
    // JSON is YAML.
    writeFileSync(
      node.#settings,
      JSON.stringify(settingsOf(node, node.#data, { folder, etcd, isTimescale })),
    );
    return node;
  }

  start(): void {
    this.#child = spawn('patroni', [this.#settings], {
      env: { ...PROGRAM_ENVIRONMENT, HOME: this.#data, TMPDIR: dirname(this.#data) },
      stdio: ['ignore', 'ignore', openSync(this.#log, 'a')],
      cwd: '/',
      ...account(),
    });
    this.#child.once('error', () => {});
  }

  kill(isWithPatroni: boolean): void {
    if (isWithPatroni) {
      this.#child?.kill('SIGKILL');
      this.#child = null;
    }
    const [pid] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /** Unless it runs. */
  restart(): void {
    if (this.#child === null) {
      this.start();
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }
}

const DATABASE = 'tagtrail';
const PASSWORD = 'patroni';

/**
 * Seconds. A node that vanished is replaced when its lease of `ttl` has ended, which it renews every `loop_wait`. Patroni
 * wants `loop_wait` and twice `retry_timeout` below `ttl`.
 */
const TIMES = { ttl: 8, loop_wait: 2, retry_timeout: 3 };

function settingsOf(node: Node, data: string, { folder, etcd, isTimescale }: Omit<Prepared, 'name'>): object {
  return {
    scope: 'tagtrail',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.api}`, connect_address: `127.0.0.1:${node.api}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        // A leader that crashed is replaced rather than waited for.
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            shared_buffers: '128MB',
            max_wal_size: '1GB',
            ...(isTimescale ? { shared_preload_libraries: 'timescaledb', max_worker_processes: 64 } : {}),
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.port}`,
      data_dir: data,
      bin_dir: join(folder, 'bin'),
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 md5',
        'host replication all 127.0.0.1/32 md5',
      ],
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      pgpass: `${data}.pgpass`,
      // A rewind that was interrupted leaves files that no server starts with.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: { unix_socket_directories: folder },
    },
  };
}

async function startEtcd(folder: string): Promise<{ child: ChildProcess; port: number }> {
  const [port, peers] = [await freePort(), await freePort()];
  const data = join(folder, 'etcd');
  mkdirSync(data);
  own(data);
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const args = {
    'data-dir': data,
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
  };
  const child = spawn(
    'etcd',
    Object.entries(args).map(([name, value]) => `--${name}=${value}`),
    { env: PROGRAM_ENVIRONMENT, stdio: 'ignore', cwd: '/', ...account() },
  );
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const answers = async () => {
    while (
      !(await fetch(`${clientUrl}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      await pause(100);
    }
  };
  await Promise.race([answers(), failed]);
  return { child, port };
}

/** Of Debian's PostgreSQL. */
function account(): { uid: number; gid: number } {
  const idOf = (which: string) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function own(folder: string): void {
  const { uid, gid } = account();
  chownSync(folder, uid, gid);
}
