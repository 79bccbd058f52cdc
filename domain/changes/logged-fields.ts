import { writeJson } from '../../base/json/json-text.ts';
import type { Fields } from './entry.ts';

/**
 * Bytes of JSON up to which a value is logged whole. Larger ones are logged as size and digest: a field of 1 MiB
 * patched once a second would fill 170 GB of disk a day. `logged_value` does the same in
 * the database (`db/timescale/schema/functions/base.sql`).
 */
const MOST_BYTES = 8_192;

/** The JSON of an entry's fields. Large values are digested in the thread pool. */
export async function loggedFields(fields: Fields | null): Promise<string | null> {
  if (fields === null) {
    return null;
  }
  let members = '';
  for (const [name, value] of Object.entries(fields)) {
    const text = writeJson(value);
    const logged = isShort(text) ? text : await leftOut(text);
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${logged}`;
  }
  return `{${members}}`;
}

function isShort(text: string): boolean {
  return (
    text.length * MOST_BYTES_OF_A_UNIT <= MOST_BYTES ||
    (text.length <= MOST_BYTES && Buffer.byteLength(text) <= MOST_BYTES)
  );
}

const MOST_BYTES_OF_A_UNIT = 3;

async function leftOut(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes));
  return JSON.stringify({ left_out: { bytes: bytes.length, sha256: digest.toString('hex') } });
}
