import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import { ANY_TYPE, contentEncoding, type StreamedBody } from '../../../platform/http/body.ts';
import { badRequest, Problem } from '../../../platform/http/problem.ts';
import { announcedOf, BODY_LIMIT, gather, tooLarge } from '../../../platform/http/read-body.ts';

export interface Pushed {
  payload: Buffer;
  /** The key that a repeated message shares with the first; null without one. */
  key: string | null;
}

export const pushedBody: StreamedBody<Pushed> = {
  type: ANY_TYPE,
  schema: { type: 'string', format: 'binary' },
  limit: BODY_LIMIT,
  receive: async (chunks, headers) => {
    const encoding = contentEncoding(headers);
    if (!ENCODINGS.has(encoding)) {
      throw new Problem('unsupported_media_type', 'Content-Encoding must be gzip or deflate, or left out');
    }
    const key = keyOf(headers);
    const bytes = await gather(chunks, announcedOf(headers));
    return { payload: encoding === 'identity' ? bytes : await unzipped(bytes), key };
  },
};

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'x-gzip', 'deflate']);

/** The first one of these, the second of CloudEvents in its binary mode. */
const KEYS = ['Idempotency-Key', 'ce-id'];

/** @throws Problem `bad_request`. */
function keyOf(headers: IncomingHttpHeaders): string | null {
  const name = KEYS.find((each) => headers[each.toLowerCase()] !== undefined);
  const key = name === undefined ? '' : String(headers[name.toLowerCase()]);
  if (key.length > LONGEST_KEY) {
    throw badRequest(`${name} must have at most ${LONGEST_KEY} characters`);
  }
  return key === '' ? null : key;
}

const LONGEST_KEY = 255;

const unzipInThread = promisify<Buffer, { maxOutputLength: number }, Buffer>(unzip);

/** @throws Problem. */
async function unzipped(bytes: Buffer): Promise<Buffer> {
  try {
    return await unzipInThread(bytes, { maxOutputLength: BODY_LIMIT });
  } catch (error) {
    throw error instanceof RangeError
      ? tooLarge(BODY_LIMIT)
      : badRequest('Request body is not compressed as its Content-Encoding says');
  }
}
