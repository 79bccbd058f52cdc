import { statfsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';

/**
 * Runs work below the data folder and converts file system errors into one line that names the setting and
 * the remedy.
 *
 * @throws AppError `unavailable` for those; other errors unchanged.
 */
export function usingDataFolder<T>(data: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explained(data, error);
  }
}

export async function whileUsingDataFolder<T>(data: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(data, error);
  }
}

export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LEAST_ROOM;
  } catch {
    return false;
  }
}

export function diskFull(data: string): AppError {
  return fault(data, `its disk has less than ${LEAST_ROOM / 1024 / 1024} MiB left; free some`);
}

/** @throws AppError `unavailable` if the cluster belongs to another account. PostgreSQL's own message is longer. */
export function requireOwnCluster(data: string, cluster: string): void {
  const account = process.getuid?.();
  const { uid } = statSync(cluster);
  if (account !== undefined && account !== 0 && uid !== account) {
    throw fault(
      data,
      `it belongs to account ${uid} and this one is ${account}; run tagtrail as that account`,
    );
  }
}

function explained(data: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return error instanceof AppError ||
    code === undefined ||
    syscall === undefined ||
    syscall.startsWith('spawn')
    ? error
    : fault(data, REASONS[code] ?? messageOf(error));
}

function fault(data: string, reason: string): AppError {
  return new AppError(
    'unavailable',
    `TAGTRAIL_DATA ${data} cannot be used: ${reason}, or set TAGTRAIL_DATA to a folder that can be` +
      (resolve(data) === data ? '' : ` (it is ${resolve(data)})`),
  );
}

const FILE = 'it, or something above it, is no folder; move what is there away';
const REASONS: Record<string, string> = {
  EEXIST: FILE,
  ENOTDIR: FILE,
  ENOENT: 'it cannot be made there; make it',
  EACCES: 'this account may not write there; change its owner or mode',
  EPERM: 'this account may not write there; change its owner or mode',
  EROFS: 'its file system is read-only; mount it for writing',
  ENOSPC: 'its disk is full; free some space',
  EDQUOT: "this account's quota is used up; free some space",
  ENAMETOOLONG: 'its path is too long; shorten it',
  ELOOP: 'it is a symbolic link to itself; remove that',
};

/** Bytes: a new cluster takes 40 MB, a WAL segment 16 MB. */
const LEAST_ROOM = 64 * 1024 * 1024;
