import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Exported } from '../../../domain/administration/organization-import/import-organization.ts';
import type { ExportedFile } from '../../../domain/administration/organizations/export-organization.ts';

export const MANIFEST = 'manifest.json';

export interface Manifest {
  org_id: number;
  exported_at: string;
  migration: string;
  files: ExportedFile[];
}

/**
 * A folder written by `org export`.
 *
 * @param onProgress gets the name of the file whose checksum is verified.
 * @throws AppError `invalid_input` if a file is missing or was changed.
 */
export async function openExported(
  folder: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress(file: string): void },
): Promise<Exported> {
  const { org_id: orgId, exported_at: exportedAt, migration, files } = await readManifest(folder);
  for (const { name, sha256 } of files) {
    onProgress(name);
    if ((await digestOf(join(folder, name), signal)) !== sha256) {
      throw new AppError(
        'invalid_input',
        `${join(folder, name)} is not what was exported: its SHA-256 is another than that in ${MANIFEST}`,
      );
    }
  }
  return {
    ...{ orgId, exportedAt, migration },
    read: (table) => {
      const name = `${table}.jsonl`;
      if (!files.some((file) => file.name === name)) {
        throw new AppError('invalid_input', `${MANIFEST} in ${folder} names no ${name}`);
      }
      return linesOf(join(folder, name));
    },
  };
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new AppError(
      'invalid_input',
      `${path} cannot be read (${messageOf(error)}); --folder is one that org export completed`,
    );
  }
  const { org_id: orgId, exported_at: exportedAt, migration, files } = manifest;
  if (
    !Number.isInteger(orgId) ||
    typeof exportedAt !== 'string' ||
    typeof migration !== 'string' ||
    !Array.isArray(files) ||
    !files.every(({ name, sha256 }) => /^\w{1,80}\.jsonl$/.test(name) && typeof sha256 === 'string')
  ) {
    throw new AppError('invalid_input', `${path} is not what org export of this version writes`);
  }
  return manifest as Manifest;
}

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of createReadStream(path, { signal })) {
      hash.update(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('invalid_input', `${path} cannot be read: ${messageOf(error)}`);
  }
  return hash.digest('hex');
}

/** Bytes and lines that are given at a time, unless one line has more. */
const BYTES = 4 * 1_048_576;
const LINES = 500;

/** Only a line feed ends a line: `readline` would also split at U+2028, which JSON may contain. */
async function* linesOf(path: string): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
      lines.push(line.toString());
      bytes += line.length;
      if (lines.length === LINES || bytes >= BYTES) {
        yield lines;
        lines = [];
        bytes = 0;
      }
    }
    rest.push(chunk.subarray(start));
  }
  if (lines.length > 0) {
    yield lines;
  }
}

const LINE_FEED = 0x0a;
