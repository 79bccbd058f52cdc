import { createReadStream } from 'node:fs';
import { AppError } from '../../../base/errors.ts';
import { running } from '../running/running.ts';
import { FileFault } from './file-fault.ts';

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
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error);
    throw new AppError('invalid_input', `${what} ${path} cannot be read: ${reason}`);
  }
  if (bytes > limit) {
    throw new FileFault(`${what} ${path} has more than ${limit} bytes`);
  }
  return Buffer.concat(chunks);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};
