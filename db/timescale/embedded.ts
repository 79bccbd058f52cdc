import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, messageOf } from '../../services/shared/errors.ts';
import { freePort } from './free-port.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { CLUSTER, type RunUnprivileged, unprivilegedRunner } from './unprivileged.ts';

/**
 * A PostgreSQL server of this project's own, made of the binaries in `node_modules`, with its data in
 * `<data>/postgres`.
 *
 * It is a daemon in a session of its own: Ctrl-C reaches this process and not the database, so that what is under way
 * can be committed first; and a process that was killed leaves its server running, which the next start takes over.
 * It listens on 127.0.0.1 only, on a port chosen at each start.
 */
export interface EmbeddedDatabase {
  url: string;
  /** Stops the server, whoever started it. */
  stop(): Promise<void>;
  /** Whether the server was running before. */
  wasRunning: boolean;
}

export interface EmbeddedOptions {
  /** The data folder (`TAGTRAIL_DATA`), made if missing. */
  data: string;
  /** False trades durability for speed, for data that is thrown away. */
  durable: boolean;
}

const USER = 'tagtrail';

/**
 * Starts the server, or joins the one running in the same folder.
 *
 * @throws AppError `unavailable` if it cannot be initialised or started, with the end of its log.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = join(resolve(options.data), 'postgres');
  const { initdb, pgCtl } = findPostgresBinaries();
  const run = unprivilegedRunner(folder, dirname(pgCtl));
  const cluster = join(folder, CLUSTER);
  const running = runningPort(cluster);
  if (!existsSync(cluster)) {
    await initialise(initdb, run, folder);
  }
  return {
    url: urlOf(folder, running ?? (await start(pgCtl, run, folder, options.durable))),
    wasRunning: running !== null,
    stop: () => run(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', '60']),
  };
}

/** The address of the server running below the data folder `data`, or null if none is. */
export function runningEmbeddedUrl(data: string): string | null {
  const folder = join(resolve(data), 'postgres');
  const port = runningPort(join(folder, CLUSTER));
  return port === null ? null : urlOf(folder, port);
}

/** Initialises beside the final name and renames, so that an interrupted attempt leaves nothing half-made. */
async function initialise(initdb: string, run: RunUnprivileged, folder: string): Promise<void> {
  const unfinished = join(folder, 'unfinished');
  const password = join(folder, 'password');
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const { uid, gid } = statSync(folder);
  chownSync(password, uid, gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${USER}`, '--auth=scram-sha-256', `--pwfile=${password}`];
  try {
    await run(initdb, [`--pgdata=${unfinished}`, ...locale, ...access, '--no-instructions']);
  } catch (error) {
    throw new AppError(
      'unavailable',
      `The embedded database could not be made in ${folder}: ${messageOf(error)}`,
    );
  }
  renameSync(unfinished, join(folder, CLUSTER));
}

async function start(pgCtl: string, run: RunUnprivileged, folder: string, durable: boolean): Promise<number> {
  const port = await freePort();
  const log = join(folder, 'server.log');
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  try {
    await run(pgCtl, [
      'start',
      '-D',
      join(folder, CLUSTER),
      '-w',
      '-t',
      '60',
      '-l',
      log,
      '-o',
      flags.join(' '),
    ]);
  } catch (error) {
    const said = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : '';
    throw new AppError('unavailable', `The embedded database did not start: ${messageOf(error)}\n${said}`);
  }
  return port;
}

/** The port of the live server that wrote `postmaster.pid`: its pid in line 1, the port in line 4. */
function runningPort(cluster: string): number | null {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(lines[0]), 0);
    return Number(lines[3]);
  } catch {
    return null;
  }
}

function urlOf(folder: string, port: number): string {
  const password = readFileSync(join(folder, 'password'), 'utf8');
  return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
}
