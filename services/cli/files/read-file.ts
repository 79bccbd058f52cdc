import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FieldIssue } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import { running } from '../running/running.ts';

/**
 * A fault in a file's contents. The command was used correctly, so it exits with 1; an option that names no readable
 * file is wrong usage (2).
 */
export class FileFault extends AppError {
  readonly issues: readonly FieldIssue[];
  readonly leftOut: number;

  constructor(message: string, issues: readonly FieldIssue[] = [], leftOut = 0) {
    super('invalid_input', message);
    this.issues = issues;
    this.leftOut = leftOut;
  }
}

/**
 * Reads a file, or standard input for `-`.
 *
 * @param what names it in messages: `The payload`.
 * @throws AppError `invalid_input` if it cannot be read, FileFault if it has more than `limit` bytes.
 */
export async function readFileOrStdin(path: string, what: string, limit: number): Promise<Buffer> {
  const stream = path === '-' ? running().streams.stdin : createReadStream(path);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) {
        break;
      }
    }
  } catch (error) {
    throw unreadable(path, what, error);
  }
  if (bytes > limit) {
    throw new FileFault(`${what} ${path} has more than ${limit} bytes`);
  }
  return Buffer.concat(chunks);
}

/**
 * The content of a file, or of standard input for `-`, piece by piece.
 *
 * @throws AppError `invalid_input` if it cannot be read.
 */
export async function openFileOrStdin(path: string, what: string): Promise<Readable> {
  if (path === '-') {
    return running().streams.stdin;
  }
  try {
    const file = await open(path);
    if ((await file.stat()).isDirectory()) {
      await file.close();
      throw Object.assign(new Error(), { code: 'EISDIR' });
    }
    return file.createReadStream();
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function unreadable(path: string, what: string, error: unknown): AppError {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error);
  return new AppError('invalid_input', `${what} ${path} cannot be read: ${reason}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/** Turns AppError `invalid_input` into FileFault if the input came from a file. */
export function rethrowAsFileFault(error: unknown): never {
  throw error instanceof AppError && error.code === 'invalid_input' ? new FileFault(error.message) : error;
}
