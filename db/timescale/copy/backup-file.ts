import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { TableChecksum } from './checksum.ts';
import type { Sequence } from './tables.ts';

/**
 * A backup is gzip over pieces, each of a byte for its kind, four with its length, and that many bytes of JSON: a row may contain line
 * breaks. First the header, then of each table its name, its rows and its checksum, and an end without which it counts as
 * cut off.
 */
export type Piece =
  | { kind: 'header'; header: BackupHeader }
  | { kind: 'table'; table: string; sequences: readonly Sequence[] }
  | { kind: 'rows'; rows: readonly string[] }
  | { kind: 'sum'; sum: TableChecksum }
  | { kind: 'end' };

export interface BackupHeader {
  format: typeof FORMAT;
  /** The instant that the backup shows. */
  at: string;
  /** Applied migrations, by name: the schema that the rows have. */
  migrations: readonly string[];
  hasTimescale: boolean;
}

export const FORMAT = 'tagtrail backup 1';

/** Fast rather than small: the lowest level makes a tenth of JSON too. */
export async function* packed(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1 });
  const feeding = pipeline(Readable.from(framed(pieces)), gzip);
  // The loop below ends with its error.
  feeding.catch(() => {});
  yield* gzip as AsyncIterable<Buffer>;
  await feeding;
}

async function* framed(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (const part of piece.kind === 'rows' ? piece.rows : [JSON.stringify(piece)]) {
      const content = Buffer.from(part);
      const head = Buffer.alloc(HEAD);
      head.writeUInt8(piece.kind === 'rows' ? 1 : 0);
      head.writeUInt32BE(content.length, 1);
      yield Buffer.concat([head, content]);
    }
  }
}

/**
 * The pieces of a backup, rows some at a time.
 *
 * @throws AppError `invalid_input` if it is no backup, damaged, or cut off.
 */
export async function* unpacked(file: Readable): AsyncGenerator<Piece> {
  let isWhole = false;
  try {
    let rows: string[] = [];
    let bytes = 0;
    for await (const { isRow, text } of parts(file.pipe(createGunzip()), file)) {
      if (isRow) {
        rows.push(text);
        bytes += text.length;
        if (rows.length < ROWS && bytes < BYTES) {
          continue;
        }
      }
      if (rows.length > 0) {
        yield { kind: 'rows', rows };
        rows = [];
        bytes = 0;
      }
      if (!isRow) {
        const piece: Piece = JSON.parse(text);
        isWhole = piece.kind === 'end';
        yield piece;
      }
    }
  } catch (error) {
    throw isOfFile(error) ? damaged(messageOf(error)) : error;
  }
  if (!isWhole) {
    throw damaged('it ends in the middle');
  }
}

async function* parts(
  unzipped: ReturnType<typeof createGunzip>,
  file: Readable,
): AsyncGenerator<{ isRow: boolean; text: string }> {
  file.on('error', (error) => unzipped.destroy(error));
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = HEAD;
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted) {
      continue;
    }
    let buffer = Buffer.concat(chunks);
    for (;;) {
      wanted = buffer.length < HEAD ? HEAD : HEAD + buffer.readUInt32BE(1);
      if (wanted > LONGEST) {
        throw damaged(`a piece of it has ${wanted} bytes`);
      }
      if (buffer.length < wanted) {
        break;
      }
      yield { isRow: buffer.readUInt8(0) === 1, text: buffer.toString('utf8', HEAD, wanted) };
      buffer = buffer.subarray(wanted);
    }
    chunks = [buffer];
    held = buffer.length;
  }
  if (held > 0) {
    throw damaged('it ends in the middle');
  }
}

/** Its kind, and the length of its content. */
const HEAD = 5;

/** The maximum for a row; a floor plan has 14 MB. */
const LONGEST = 256 * 1_024 * 1_024;

const ROWS = 500;
const BYTES = 8 * 1_024 * 1_024;

function isOfFile(error: unknown): boolean {
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
  return error instanceof SyntaxError || code.startsWith('Z_') || code === 'EISDIR' || code === 'EIO';
}

function damaged(why: string): AppError {
  return new AppError(
    'invalid_input',
    `The file is not a complete backup of tagtrail (${why}); nothing was restored`,
  );
}
