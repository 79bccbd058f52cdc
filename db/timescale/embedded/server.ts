import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, messageOf } from '../../../base/errors.ts';
import { initialiseCluster, urlOfCluster } from './cluster.ts';
import {
  diskFull,
  isDiskFull,
  requireOwnCluster,
  usingDataFolder,
  whileUsingDataFolder,
} from './data-folder.ts';
import { freePort } from './free-port.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { disownReusedPid, type Postmaster, readPostmaster } from './postmaster.ts';
import { CLUSTER, type RunUnprivileged, unprivilegedRunner } from './unprivileged.ts';
import { joinServer } from './users.ts';

/**
 * A PostgreSQL server of this project's own, made of the binaries in `node_modules`, with its data in
 * `<data>/postgres`.
 *
 * It is a daemon in a session of its own: Ctrl-C reaches this process and not the database, so that what is under way
 * can be committed first; and a process that was killed leaves its server running, which the next one takes over.
 * Any number of processes share it; it listens on 127.0.0.1 only, on a port chosen at each start.
 */
export interface EmbeddedDatabase {
  url: string;
  /** Stops the server, whoever started it, unless other processes use it: then the last of them does. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Data folder (`TAGTRAIL_DATA`), made if missing. */
  data: string;
  /** False trades durability for speed, for disposable data. */
  durable: boolean;
  /** Port of a newly started server; any by default. */
  port?: number;
}

/**
 * Joins the server running in the folder, or starts it. PostgreSQL lets one of several processes start it; the others
 * join.
 *
 * @throws AppError `unavailable` if it cannot be initialized or started, with the end of its log, or if the folder
 * cannot be used, naming TAGTRAIL_DATA.
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
    await initialiseCluster(initdb, run, folder);
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
    disownReusedPid(cluster);
    try {
      await start(pgCtl, run, folder, options);
    } catch (error) {
      failures += 1;
      if (failures === MOST_FAILURES && readPostmaster(cluster)?.isAlive !== true) {
        throw error;
      }
      // Parts of a server that was killed may use its memory for a moment yet.
      await pause(RETRY_AFTER * 2 ** failures);
    }
  }
}

/** Milliseconds, for crash recovery or an orderly stop. */
const PATIENCE = 60_000;
const RETRY_AFTER = 50;

/** Meanwhile another process may have started, used and stopped it. */
const MOST_FAILURES = 4;

/** The server that wrote the lock file below the data folder, alive or dead; null after an orderly stop. */
export function embeddedPostmaster(data: string): Postmaster | null {
  return usingDataFolder(data, () => readPostmaster(join(resolve(data), 'postgres', CLUSTER)));
}

/** URL of the server running below the data folder, or null. */
export function runningEmbeddedUrl(data: string): string | null {
  const postmaster = embeddedPostmaster(data);
  return postmaster?.isAlive === true ? urlOfCluster(join(resolve(data), 'postgres'), postmaster.port) : null;
}

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
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
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
    throw new AppError('unavailable', `The embedded database did not start: ${messageOf(error)}\n${said}`);
  }
}
