import { randomUUID } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { AppError, messageOf } from '../../../base/errors.ts';

/**
 * Replaces a file atomically: the old one stays until `write` has ended. A pipe or device is written directly.
 *
 * @param mode who may read it; by default as before.
 * @throws AppError `invalid_input` if nothing can be written there; `unavailable` if the disk is full.
 */
export async function replaceFile(
  given: string,
  write: (file: FileHandle) => Promise<void>,
  mode?: number,
): Promise<void> {
  const before = await stat(given).catch(() => null);
  if (before !== null && !before.isFile()) {
    return withFile(given, undefined, write).catch((error: unknown) => {
      throw isOfFile(error) ? unavailable(`${given} cannot be written`, error) : error;
    });
  }
  const path = before === null ? given : await realpath(given);
  const part = `${path}.part-${randomUUID()}`;
  try {
    await withFile(part, mode ?? before?.mode, async (file) => {
      await write(file);
      await file.sync();
    });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw isOfFile(error) ? unavailable(`${given} cannot be written, and is as it was`, error) : error;
  }
}

async function withFile(
  path: string,
  mode: number | undefined,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'w', mode).catch((error: unknown) => {
    throw new AppError('invalid_input', `--file cannot be written: ${messageOf(error)}`);
  });
  try {
    await write(file);
  } finally {
    await file.close();
  }
}

/** True for a failed write, not for errors of others that `write` calls. */
export function isOfFile(error: unknown): boolean {
  return (
    error instanceof Error && ['write', 'fsync', 'rename'].includes(String(Reflect.get(error, 'syscall')))
  );
}

function unavailable(what: string, cause: unknown): AppError {
  return new AppError('unavailable', `${what}: ${messageOf(cause)}`, { cause });
}
