import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { withoutTokens } from '../../base/scanned-text.ts';
import { bigints, integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Unusable } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';
import type { ReadMessage } from './message.ts';
import type { Reception } from './received-messages.ts';
import { unplacedName } from './to-scans.ts';

/** The unusable parts of a message, and the pushes that were refused before it. */
export interface Flaws {
  pushesRefused: number;
  readingsUnusable: number;
  readingsExample: string | null;
  rssiUnusable: number;
  rssiExample: string | null;
  timeUnreadable: number;
  timeExample: string | null;
  clockUnset: number;
  receivedAt: Micros;
  nearMisses: number;
  /** Reads by the name of an unregistered antenna, as stored, so that names are distinct. */
  unplaced: ReadonlyMap<string, number>;
}

/** The most names to keep per reader, the latest; also the most to read per message. */
const MOST_UNPLACED = 100;

/** @returns null for nearly every message. */
export function flawsOf(
  { reader, mapped, pushesRefused = 0 }: ReadMessage,
  { receivedAt, isRedelivery }: Reception,
): Flaws | null {
  let flaws: Counting | null = pushesRefused > 0 ? { ...noFlaws(receivedAt), pushesRefused } : null;
  if (reader === null || mapped.outcome === 'rejected' || isRedelivery) {
    return flaws;
  }
  for (const item of mapped.outcome === 'items' ? mapped.items : [mapped]) {
    if (item.outcome === 'ignored' && item.nearMiss !== undefined) {
      flaws ??= noFlaws(receivedAt);
      flaws.nearMisses += 1;
    }
    if (item.outcome !== 'read') {
      continue;
    }
    const name = unplacedName(reader, item.read);
    if (name !== null) {
      flaws ??= noFlaws(receivedAt);
      count(flaws.unplaced, storable(name), 1);
    }
    if (item.read.unusable !== null) {
      flaws ??= noFlaws(receivedAt);
      addUnusable(flaws, item.read.unusable);
    }
  }
  return flaws;
}

function addUnusable(flaws: Counting, { rssi, time, unsetClock, readings }: Unusable): void {
  if (rssi !== undefined) {
    flaws.rssiUnusable += 1;
    flaws.rssiExample = storable(rssi);
  }
  if (time !== undefined) {
    flaws.timeUnreadable += 1;
    flaws.timeExample = storable(time);
  }
  if (unsetClock !== undefined) {
    flaws.clockUnset += 1;
  }
  for (const [kind, value] of Object.entries(readings ?? {})) {
    flaws.readingsExample = `${kind} ${storable(value)}`;
  }
  flaws.readingsUnusable += readings === undefined ? 0 : 1;
}

type Counting = Flaws & { unplaced: Map<string, number> };

function noFlaws(receivedAt: Micros): Counting {
  return {
    ...{ rssiUnusable: 0, rssiExample: null, timeUnreadable: 0, timeExample: null, clockUnset: 0 },
    ...{ readingsUnusable: 0, readingsExample: null, pushesRefused: 0 },
    ...{ receivedAt, nearMisses: 0, unplaced: new Map() },
  };
}

function count(unplaced: Map<string, number>, name: string, reads: number): void {
  if (unplaced.has(name) || unplaced.size < MOST_UNPLACED) {
    unplaced.set(name, (unplaced.get(name) ?? 0) + reads);
  }
}

function storable(given: number | string): string {
  return withoutTokens(String(given));
}

/** Call with the readers' counters locked. Usually there are none. */
export async function addReaderFlaws(
  db: Connection,
  found: readonly { reader: RegisteredReader; flaws: Flaws }[],
): Promise<void> {
  if (found.length === 0) {
    return;
  }
  const rows = [...Map.groupBy(found, ({ reader }) => reader.readerId).values()].flatMap((ofReader) => {
    const [first] = ofReader;
    return first === undefined ? [] : [{ ...first.reader, ...sum(ofReader.map(({ flaws }) => flaws)) }];
  });
  const counts = (of: Count) => sql.binary(bigints(rows.map((row) => row[of])));
  await db.exec(sql.prepared('add-reader-flaws', NO_ROWS)`
    insert into reader_flaws as stored (org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example,
      time_unreadable_at, clock_unset, clock_unset_at, near_misses, readings_unusable, readings_example, readings_unusable_at,
      pushes_refused)
    select org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example,
      case when time_unreadable > 0 then received_at end, clock_unset, case when clock_unset > 0 then received_at end, near_misses,
      readings_unusable, readings_example, case when readings_unusable > 0 then received_at end, pushes_refused
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
      ${counts('rssiUnusable')}::bigint[], ${sql.binary(texts(rows.map(({ rssiExample }) => rssiExample)))}::text[],
      ${counts('timeUnreadable')}::bigint[], ${sql.binary(texts(rows.map(({ timeExample }) => timeExample)))}::text[],
      ${counts('clockUnset')}::bigint[], ${counts('nearMisses')}::bigint[],
      ${counts('readingsUnusable')}::bigint[], ${sql.binary(texts(rows.map(({ readingsExample }) => readingsExample)))}::text[],
      ${counts('pushesRefused')}::bigint[],
      ${sql.binary(timestamps(rows.map(({ receivedAt }) => receivedAt)))}::timestamptz[])
      as added (org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example, clock_unset, near_misses,
        readings_unusable, readings_example, pushes_refused, received_at)
    order by org_id, reader_id
    on conflict (org_id, reader_id) do update set
      rssi_unusable = stored.rssi_unusable + excluded.rssi_unusable,
      rssi_example = coalesce(excluded.rssi_example, stored.rssi_example),
      time_unreadable = stored.time_unreadable + excluded.time_unreadable,
      time_example = coalesce(excluded.time_example, stored.time_example),
      time_unreadable_at = greatest(stored.time_unreadable_at, excluded.time_unreadable_at),
      clock_unset = stored.clock_unset + excluded.clock_unset,
      clock_unset_at = greatest(stored.clock_unset_at, excluded.clock_unset_at),
      near_misses = stored.near_misses + excluded.near_misses,
      readings_unusable = stored.readings_unusable + excluded.readings_unusable,
      readings_example = coalesce(excluded.readings_example, stored.readings_example),
      readings_unusable_at = greatest(stored.readings_unusable_at, excluded.readings_unusable_at),
      pushes_refused = stored.pushes_refused + excluded.pushes_refused`);
  await keepUnplaced(
    db,
    rows.flatMap(({ orgId, readerId, receivedAt, unplaced }) =>
      [...unplaced].map(([name, reads]) => ({ orgId, readerId, name, reads, receivedAt })),
    ),
  );
}

type Count =
  | 'rssiUnusable'
  | 'timeUnreadable'
  | 'clockUnset'
  | 'nearMisses'
  | 'readingsUnusable'
  | 'pushesRefused';

function sum(all: readonly Flaws[]): Flaws {
  return all.reduce((total, flaws) => ({
    rssiUnusable: total.rssiUnusable + flaws.rssiUnusable,
    rssiExample: flaws.rssiExample ?? total.rssiExample,
    timeUnreadable: total.timeUnreadable + flaws.timeUnreadable,
    timeExample: flaws.timeExample ?? total.timeExample,
    clockUnset: total.clockUnset + flaws.clockUnset,
    receivedAt: Math.max(total.receivedAt, flaws.receivedAt),
    nearMisses: total.nearMisses + flaws.nearMisses,
    readingsUnusable: total.readingsUnusable + flaws.readingsUnusable,
    readingsExample: flaws.readingsExample ?? total.readingsExample,
    pushesRefused: total.pushesRefused + flaws.pushesRefused,
    unplaced: together(total.unplaced, flaws.unplaced),
  }));
}

function together(one: Flaws['unplaced'], other: Flaws['unplaced']): Flaws['unplaced'] {
  const both = new Map(one);
  for (const [name, reads] of other) {
    count(both, name, reads);
  }
  return both;
}

interface Unplaced {
  orgId: number;
  readerId: number;
  name: string;
  reads: number;
  receivedAt: Micros;
}

async function keepUnplaced(db: Connection, rows: readonly Unplaced[]): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const grown = await db.any(sql.prepared(
    'keep-unplaced-antennas',
    rowsOf<{ org_id: number; reader_id: number }>(),
  )`
    with kept as (
      insert into unplaced_antennas as stored (org_id, reader_id, name, reads, last_read_at)
      select org_id, reader_id, name, reads, last_read_at
      from unnest(
        ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
        ${sql.binary(texts(rows.map(({ name }) => name)))}::text[],
        ${sql.binary(bigints(rows.map(({ reads }) => reads)))}::bigint[],
        ${sql.binary(timestamps(rows.map(({ receivedAt }) => receivedAt)))}::timestamptz[])
        as named (org_id, reader_id, name, reads, last_read_at)
      order by org_id, reader_id, name
      on conflict (org_id, reader_id, name) do update set
        reads = stored.reads + excluded.reads,
        last_read_at = greatest(stored.last_read_at, excluded.last_read_at)
      returning stored.org_id, stored.reader_id, xmax = 0 as is_new
    )
    select distinct org_id, reader_id from kept where is_new`);
  for (const { org_id: orgId, reader_id: readerId } of grown) {
    await db.exec(sql.prepared('trim-unplaced-antennas', NO_ROWS)`
      delete from unplaced_antennas where org_id = ${orgId} and reader_id = ${readerId} and name = any (array(
        select name from unplaced_antennas where org_id = ${orgId} and reader_id = ${readerId}
        order by last_read_at desc, name offset ${MOST_UNPLACED}))`);
  }
}

const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

/**
 * The readers whose near miss is to be kept: none was kept within the hour. Records that one is.
 *
 * @param found with near misses; call once they are counted.
 */
export async function readersToSample(
  db: Connection,
  found: readonly { readerId: number; orgId: number; receivedAt: Micros }[],
): Promise<ReadonlySet<number>> {
  if (found.length === 0) {
    return new Set();
  }
  const rows = await db.any(sql.prepared('note-near-misses', rowsOf<{ reader_id: number }>())`
    update reader_flaws flawed set near_miss_kept_at = time_of_micros(given.received_at)
    from unnest(
      ${sql.binary(integers(found.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(found.map(({ readerId }) => readerId)))}::integer[],
      ${sql.binary(bigints(found.map(({ receivedAt }) => receivedAt)))}::bigint[]) as given (org_id, reader_id, received_at)
    where flawed.org_id = given.org_id and flawed.reader_id = given.reader_id
      and (flawed.near_miss_kept_at is null or flawed.near_miss_kept_at <= time_of_micros(given.received_at - ${HOUR}::bigint))
    returning flawed.reader_id`);
  return new Set(rows.map(({ reader_id: readerId }) => readerId));
}
