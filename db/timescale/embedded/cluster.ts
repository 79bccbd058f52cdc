import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, messageOf } from '../../../base/errors.ts';
import { isAlive } from './postmaster.ts';
import { CLUSTER, type RunUnprivileged } from './unprivileged.ts';

const USER = 'tagtrail';

/**
 * Kept inside the cluster, so that both are renamed into place together. Older folders have it beside the
 * cluster.
 */
const PASSWORD = 'tagtrail.password';
const OLDER_PASSWORD = 'password';

/**
 * Initializes the cluster below `folder` unless it exists. It is built elsewhere and renamed, so an
 * interrupted attempt leaves nothing half-made; of several processes the first to finish wins.
 *
 * @throws AppError `unavailable` if it cannot be created.
 */
export async function initialiseCluster(
  initdb: string,
  run: RunUnprivileged,
  folder: string,
  durable: boolean,
): Promise<void> {
  removeAbandoned(folder);
  const patience = Date.now() + PATIENCE;
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

export function urlOfCluster(folder: string, port: number): string {
  const password = [join(folder, CLUSTER, PASSWORD), join(folder, OLDER_PASSWORD)].find(existsSync);
  const secret = password === undefined ? '' : readFileSync(password, 'utf8');
  return `postgres://${USER}:${secret}@127.0.0.1:${port}/postgres`;
}

const UNFINISHED = 'unfinished-';

/** Milliseconds to wait for another process that is initializing. Doing it twice costs time and nothing else. */
const PATIENCE = 30_000;

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
