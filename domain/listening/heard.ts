import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { TagType } from '../tracking/tag-type.ts';
import type { Listened } from './wanted.ts';

/** Channel on which processes of ingestion publish the reads they heard. */
export const READS_HEARD = 'reads_heard';

/** Milliseconds that one process's word counts: it repeats it sooner, even if nothing has changed. */
export const HEARD_FOR_MS = 12_000;
export const REPEATED_MS = 5_000;

/** Seconds that are summed up. */
export const WINDOW_SECONDS = 30;

/** Reads that one process of ingestion heard at an antenna in the last {@link WINDOW_SECONDS}. Times are milliseconds since 1970. */
export interface Heard extends Listened {
  /** The process that heard it. */
  source: string;
  messages: number;
  rejected: number;
  ignored: number;
  reads: number;
  tags: readonly HeardTag[];
  /** Tags without room, the weakest ones; at least this many. */
  tagsLeftOut: number;
  /** The last messages of the reader, from any antenna, latest first. */
  arrivals: readonly Arrival[];
}

export interface HeardTag {
  tagType: TagType;
  value: string;
  /** Its number; the name of an unregistered one, empty if none is named. */
  antenna: number | string;
  /** Where the antenna is, for listeners to a thing's tags. */
  locationId?: number | null;
  count: number;
  /** dBm of the last read, and of the strongest; null if the reader reports none. */
  rssi: number | null;
  strongest: number | null;
  at: number;
}

export interface Arrival {
  at: number;
  topic: string;
  bytes: number;
  outcome: 'items' | 'ignored' | 'rejected';
  /** Null of one that was read. */
  reason: string | null;
}

/** Bytes of a notification; PostgreSQL's limit is 8,000. */
const MOST_BYTES = 7_900;

/** The text of a notification, with as many of the strongest tags as there is room for. */
export function writeHeard(heard: Heard): string {
  const { tags, tagsLeftOut, ...rest } = heard;
  const frame = (left: number) => JSON.stringify({ ...rest, tagsLeftOut: left, tags: [] });
  const room = MOST_BYTES - Buffer.byteLength(frame(tags.length + tagsLeftOut));
  const texts: string[] = [];
  let used = 0;
  for (const tag of tags.toSorted(byStrength)) {
    const text = JSON.stringify(tag);
    used += Buffer.byteLength(text) + 1;
    if (used > room) {
      break;
    }
    texts.push(text);
  }
  return `${frame(tags.length - texts.length + tagsLeftOut).slice(0, -2)}${texts.join(',')}]}`;
}

/** Null for invalid text. Only ingestion writes it, so its members need no checks. */
export function readHeard(text: string): Heard | null {
  try {
    const heard: Heard = JSON.parse(text);
    return typeof heard.readerId === 'number' && Array.isArray(heard.tags) ? heard : null;
  } catch {
    return null;
  }
}

export function byStrength(one: HeardTag, other: HeardTag): number {
  return (
    (other.strongest ?? Number.NEGATIVE_INFINITY) - (one.strongest ?? Number.NEGATIVE_INFINITY) ||
    other.count - one.count ||
    other.at - one.at
  );
}

/** One transaction for all: transactions that notify commit one at a time. Nothing here needs to survive a crash. */
export async function announceHeard(db: Connection, texts: readonly string[]): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    select set_config('synchronous_commit', 'off', true), pg_notify(${READS_HEARD}::text, text)
    from unnest(${sql.array([...texts], 'text')}) as heard (text)`);
}
