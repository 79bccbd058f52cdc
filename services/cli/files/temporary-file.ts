import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';
import { isOfFile } from './replace-file.ts';

/**
 * A file for what is too large for memory. It has no name, so that it goes with the process at the latest.
 *
 * @throws AppError `unavailable` naming TMPDIR if it cannot be written.
 */
export async function withTemporaryFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
  const path = join(tmpdir(), `tagtrail-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw unwritable(error);
  });
  try {
    await rm(path);
    await work(file);
  } catch (error) {
    throw isOfFile(error) ? unwritable(error) : error;
  } finally {
    await file.close();
  }
}

function unwritable(cause: unknown): AppError {
  const message = `Nothing can be kept in ${tmpdir()} (${messageOf(cause)}); free some space there, or set TMPDIR to another folder`;
  return new AppError('unavailable', message, { cause });
}
