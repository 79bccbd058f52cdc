import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { usingDataFolder } from '../../db/timescale/embedded/data-folder.ts';
import {
  newSecretsKey,
  parseSecretsKeys,
  type SecretsKeys,
} from '../../domain/webhooks/secrets/secrets-key.ts';

/** The data folder's own key for secrets, made on first use, for the owner of the folder only. */
export function ownSecretsKey(data: string): SecretsKeys {
  return (
    readOwnSecretsKey(data) ??
    usingDataFolder(data, () => {
      makeFolder(data);
      writeNew(join(data, FILE), newSecretsKey());
      return readOwnSecretsKey(data) ?? fault(data);
    })
  );
}

const FILE = 'secrets-key';

/**
 * Null if there is none yet.
 *
 * @throws AppError if the file holds no key.
 */
export function readOwnSecretsKey(data: string): SecretsKeys | null {
  return usingDataFolder(data, () => {
    const text = readIfThere(join(data, FILE));
    return text === null ? null : (parseSecretsKeys(text.trim()) ?? fault(data));
  });
}

/** If two processes write it at the same time, one does. */
function writeNew(path: string, key: string): void {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, `${key}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

function fault(data: string): never {
  throw new AppError(
    'misconfigured',
    `${join(data, FILE)} is no key for secrets; put back the one from a backup, or remove the file and give each webhook a new secret (${TAGTRAIL} webhook set --rotate-secret --drop-old-secret)`,
  );
}
