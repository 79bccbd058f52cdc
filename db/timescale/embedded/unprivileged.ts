import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';

const run = promisify(execFile);

export const CLUSTER = 'cluster';

/** Runs a program as a user PostgreSQL accepts: the server refuses to run as root. */
export type RunUnprivileged = (program: string, args: string[], options?: ExecFileOptions) => Promise<void>;

/**
 * Runs the database's programs unprivileged on `folder` (created if missing). Root uses an ordinary account
 * that can reach programs and folder; if none can (a clone below /root, say), a user namespace in which
 * root's files have another owner.
 *
 * @throws AppError `unavailable` naming TAGTRAIL_DATA if neither is possible.
 */
export function unprivilegedRunner(folder: string, programs: string): RunUnprivileged {
  makeFolder(dirname(folder));
  makeFolder(folder, 0o700);
  if (process.getuid?.() !== 0) {
    return async (program, args, options) => void (await run(program, args, options));
  }
  const account = accountFor(folder);
  if (account.uid !== 0 && reachableByOthers(dirname(folder)) && reachableByOthers(programs)) {
    chownSync(folder, account.uid, account.gid);
    return async (program, args, options) => {
      await run(program, args, { cwd: folder, ...options, ...account });
    };
  }
  if (account.uid !== 0 && !isEmpty(folder)) {
    throw new AppError(
      'unavailable',
      `${unreachable(folder, programs)} Its files belong to account ${account.uid}.`,
    );
  }
  if (!userNamespacesWork()) {
    throw new AppError('unavailable', unreachable(folder, programs));
  }
  return async (program, args, options) => {
    await run('unshare', [...MAP_TO_NOBODY, program, ...args], options);
  };
}

function unreachable(folder: string, programs: string): string {
  return (
    `The embedded database cannot run as root, and an ordinary account cannot reach ${folder} or ${programs}. ` +
    'Run as an ordinary user; or move the project out of a private folder and set TAGTRAIL_DATA to a folder every ' +
    'account can reach, such as /var/lib/tagtrail; or set DATABASE_URL to a server of your own.'
  );
}

const NOBODY = { uid: 65_534, gid: 65_534 };
const MAP_TO_NOBODY = ['--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, '--'];

function ordinaryAccount(): { uid: number; gid: number } {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return NOBODY;
  }
}

/** A folder in use keeps its owner; an empty one gets an ordinary account. */
function accountFor(folder: string): { uid: number; gid: number } {
  if (isEmpty(folder)) {
    return ordinaryAccount();
  }
  const { uid, gid } = statSync(join(folder, CLUSTER));
  return { uid, gid };
}

function isEmpty(folder: string): boolean {
  return !existsSync(join(folder, CLUSTER));
}

function reachableByOthers(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if ((lstatSync(at).mode & 0o001) === 0) {
      return false;
    }
    if (at === dirname(at)) {
      return true;
    }
  }
}

function userNamespacesWork(): boolean {
  try {
    execFileSync('unshare', [...MAP_TO_NOBODY, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
