import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { EXPECTED_NOW } from '../../presence/stored-expectations.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { READER_CLOCK, type ReaderClock } from './reader-clock.ts';
import { READER_FLAWS, type ReaderFlaws } from './reader-flaws.ts';
import { READER_STATE, type ReaderState, UNHEARD_SINCE } from './reader-state.ts';
import { READER_COLUMNS, type ReaderRow, type StoredReader, toReader } from './stored-reader.ts';

export interface ListedReader extends StoredReader {
  /** `timestamptz` text, as is `deletedAt`. */
  createdAt: string;
  antennas: ListedAntenna[];
  state: ReaderState;
  /** Since when it has been silent or disconnected. */
  unheardSince: string | null;
  /** The longest silence allowed, in force now, set or learned; null for a new reader. */
  expectedSeconds: number | null;
  lastMessageAt: string | null;
  /** The last sign-in at the embedded broker, to the minute; null if never, or not since they are recorded. */
  lastUsedAt: string | null;
  counters: ReaderCounters;
  clock: ReaderClock | null;
  flaws: ReaderFlaws;
  /** Antennas that messages named and nobody has registered, the latest first. */
  unplaced: UnplacedAntenna[];
}

export interface UnplacedAntenna {
  /** A port by its digits; empty where messages named none and the reader has several. */
  name: string;
  reads: number;
  /** RFC 3339 */
  last_read_at: string;
}

export interface ListedAntenna {
  /** Its number: the port, or below 0. */
  port: number;
  name: string | null;
  /** The port of an antenna with a number below 0. */
  device_port: number | null;
  /** Null if it has none, or that was deleted: its reads are unplaced. */
  location_external_key: string | null;
  min_rssi: number | null;
  enabled: boolean;
  offset_db: number;
  height_m: number;
}

export interface ReaderCounters {
  messages: number;
  messages_rejected: number;
  reads: number;
  recorded: number;
  duplicates: number;
  unknown: number;
  unplaced: number;
  rejected: number;
  ignored: number;
  /** Milliseconds its quota delayed it. */
  throttled_ms: number;
}

const ANTENNAS = sql.fragment`coalesce((
    select json_agg(json_build_object('port', antenna.port, 'name', antenna.name, 'device_port', antenna.device_port,
      'location_external_key', location.external_key,
      'min_rssi', antenna.min_rssi, 'enabled', antenna.is_enabled,
      'offset_db', antenna.offset_db, 'height_m', antenna.height_m) order by antenna.port)
    from antennas antenna
    left join locations location on location.org_id = antenna.org_id and location.id = antenna.location_id
      and location.deleted_at is null
    where antenna.org_id = reader.org_id and antenna.reader_id = reader.id
  ), '[]')`;

/** Whether the antenna was registered since; over `readers reader` and `unplaced_antennas unplaced`. */
export const IS_REGISTERED = sql.fragment`exists (
      select from antennas known
      where known.org_id = reader.org_id and known.reader_id = reader.id
        and unplaced.name in (known.name, known.device_port::text, case when known.port > 0 then known.port::text end))`;

/** Without those that were registered since. */
const UNPLACED = sql.fragment`coalesce((
    select json_agg(json_build_object('name', unplaced.name, 'reads', unplaced.reads, 'last_read_at',
      to_char(unplaced.last_read_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      order by unplaced.last_read_at desc, unplaced.name)
    from unplaced_antennas unplaced
    where unplaced.org_id = reader.org_id and unplaced.reader_id = reader.id and not ${IS_REGISTERED}
  ), '[]')`;

/** Columns of `readers reader` and its row of `reader_counters` as `counted`, if it has one. */
export const LISTED_COLUMNS = sql.fragment`${READER_COLUMNS}, reader.created_at, reader.last_used_at,
  ${ANTENNAS} as antennas,
  ${READER_STATE} as state, ${UNHEARD_SINCE} as unheard_since, ${EXPECTED_NOW} as expected_seconds,
  counted.last_message_at,
  json_build_object(
    'messages', coalesce(counted.messages, 0), 'messages_rejected', coalesce(counted.messages_rejected, 0),
    'reads', coalesce(counted.reads, 0), 'recorded', coalesce(counted.recorded, 0),
    'duplicates', coalesce(counted.duplicates, 0), 'unknown', coalesce(counted.unknown, 0),
    'unplaced', coalesce(counted.unplaced, 0), 'rejected', coalesce(counted.rejected, 0),
    'ignored', coalesce(counted.ignored, 0),
    'throttled_ms', coalesce(counted.throttled_ms, 0)
  ) as counters,
  ${READER_CLOCK} as clock, ${READER_FLAWS} as flaws,
  ${UNPLACED} as unplaced`;

/** Live readers of an organization with their antennas and counters, from one snapshot. */
export async function listReaders(db: Connection, orgId: number): Promise<ListedReader[]> {
  const rows = await db.any(sql.type(rowsOf<ListedRow>())`
    select ${LISTED_COLUMNS}
    from readers reader
    left join reader_counters counted on counted.org_id = reader.org_id and counted.reader_id = reader.id
    where reader.org_id = ${orgId} and reader.deleted_at is null
    order by reader.id`);
  return rows.map(toListed);
}

/** @throws AppError `not_found` for no live reader. */
export async function findAntennas(
  db: Connection,
  readerId: number,
): Promise<Pick<ListedReader, 'antennas' | 'unplaced'>> {
  const row = await db.maybeOne(sql.type(rowsOf<Pick<ListedRow, 'antennas' | 'unplaced'>>())`
    select ${ANTENNAS} as antennas, ${UNPLACED} as unplaced from ${LIVE_READERS} where reader.id = ${readerId}`);
  if (row === null) {
    throw new AppError('not_found', `Reader ${readerId} not found`);
  }
  return { antennas: JSON.parse(row.antennas), unplaced: JSON.parse(row.unplaced) };
}

export function toListed(row: ListedRow): ListedReader {
  return {
    ...toReader(row),
    createdAt: row.created_at,
    antennas: JSON.parse(row.antennas),
    state: row.state,
    unheardSince: row.unheard_since,
    expectedSeconds: row.expected_seconds,
    lastMessageAt: row.last_message_at,
    lastUsedAt: row.last_used_at,
    counters: JSON.parse(row.counters),
    clock: row.clock === null ? null : JSON.parse(row.clock),
    flaws: JSON.parse(row.flaws),
    unplaced: JSON.parse(row.unplaced),
  };
}

export interface ListedRow extends ReaderRow {
  created_at: string;
  state: ReaderState;
  unheard_since: string | null;
  expected_seconds: number | null;
  last_message_at: string | null;
  last_used_at: string | null;
  antennas: string;
  counters: string;
  clock: string | null;
  flaws: string;
  unplaced: string;
}
