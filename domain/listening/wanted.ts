import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { sameTagKey } from '../tracking/tag-key.ts';
import type { TagType } from '../tracking/tag-type.ts';

/** Somebody listens to an antenna, or to all of a reader's (0). */
export interface Listened {
  orgId: number;
  readerId: number;
  antenna: number;
  /** Only tags with these keys (`sameTagKey`), at whichever reader: it and the antenna are 0 then. */
  keys?: readonly string[];
}

/** Bytes of keys; a notification has less than 8,000, and each answer repeats them. */
const MOST_OF_KEYS = 2_000;

/** Listens for the tags of one thing, the first ones if it has very many. */
export function listenedFor(orgId: number, tags: readonly { tag_type: TagType; value: string }[]): Listened {
  const keys = new Set<string>();
  let bytes = '['.length;
  for (const { tag_type, value } of tags) {
    const key = sameTagKey(tag_type, value);
    bytes += keys.has(key) ? 0 : Buffer.byteLength(JSON.stringify(key)) + ','.length;
    if (bytes > MOST_OF_KEYS) {
      break;
    }
    keys.add(key);
  }
  return { orgId, readerId: 0, antenna: 0, keys: [...keys] };
}

/** Channel on which listeners announce themselves, repeatedly: see {@link LISTENED_MS}. */
export const LISTEN_WANTED = 'listen_wanted';

/** Milliseconds for which ingestion listens after it was last asked. */
export const LISTENED_MS = 30_000;

/** Ingestion does what it is asked only while LISTENing, so nothing is stored and nothing has to be cleared. */
export async function wantReads(db: Connection, listened: Listened): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    select set_config('synchronous_commit', 'off', true), pg_notify(${LISTEN_WANTED}::text, ${keyOf(listened)}::text)`);
}

/** Null for invalid text, such as that of another version. */
export function readWanted(text: string): Listened | null {
  const [, org, reader, antenna, keys] = /^(\d{1,10}) (\d{1,10}) (-?\d{1,5})(?: (\[.*\]))?$/.exec(text) ?? [];
  if (org === undefined) {
    return null;
  }
  const listened = { orgId: Number(org), readerId: Number(reader), antenna: Number(antenna) };
  try {
    return keys === undefined ? listened : { ...listened, keys: JSON.parse(keys) };
  } catch {
    return null;
  }
}

export function keyOf({ orgId, readerId, antenna, keys }: Listened): string {
  return `${orgId} ${readerId} ${antenna}${keys === undefined ? '' : ` ${JSON.stringify(keys)}`}`;
}
