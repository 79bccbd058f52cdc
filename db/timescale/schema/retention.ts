import type pg from 'pg';
import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';
import { inSweep } from './in-sweep.ts';

export interface Swept {
  /** False if somebody keeps old rows from being dropped. */
  isDone: boolean;
  /** Chunks dropped, or rows deleted if there are no chunks. */
  scanEvents: number;
  receivedMessages: number;
  submissions: number;
}

/**
 * Drops raw scans older than `retentionDays`, by whole chunks of a hypertable, and records of messages
 * received more than 24 hours ago. Answers to submissions are kept as long as scans: a device may resend one
 * until it would be too late. Imported files go after a week, captures with raw scans, sessions of people a day after their end. Transitions and positions are
 * kept for good.
 */
export async function sweep(pool: Pool, retentionDays: number): Promise<Swept> {
  const forgotten = await inSweep(pool, async (client) => {
    await forgetBrokerSessions(client, retentionDays);
    await forgetIdleRetractions(client, retentionDays);
    await forgetImports(client);
    await forgetCaptures(client, retentionDays);
    await forgetSessions(client);
    await forgetProofs(client, retentionDays);
    return {
      receivedMessages: await forgetMessages(client),
      submissions: await forgetSubmissions(client, retentionDays),
    };
  });
  // By itself: recording waits until a transaction that drops a chunk has ended.
  const scanEvents = await inSweep(pool, async (client) => {
    const dropped = await dropScans(client, retentionDays);
    await noteDropped(client, retentionDays);
    return dropped;
  });
  const isDone = forgotten !== null && scanEvents !== null;
  return { isDone, receivedMessages: 0, submissions: 0, ...forgotten, scanEvents: scanEvents ?? 0 };
}

/** Added to the retention: scans of up to a minute before decide what the oldest kept scan states. */
const SURROUNDINGS = "interval '1 hour'";

function dropScans(client: pg.ClientBase, retentionDays: number): Promise<number> {
  return dropBefore(
    client,
    'scan_events',
    `now() - make_interval(days => $1) - ${SURROUNDINGS}`,
    retentionDays,
  );
}

/** Drops values that tags measured before the retention, as raw scans are; the newest of each tag stay. */
export async function sweepReadings(pool: Pool, retentionDays: number): Promise<number> {
  const dropped = await inSweep(pool, (client) =>
    dropBefore(client, 'tag_readings', 'now() - make_interval(days => $1)', retentionDays),
  );
  return dropped ?? 0;
}

/** @returns chunks dropped, or rows deleted if there are no chunks. */
async function dropBefore(
  client: pg.ClientBase,
  table: 'scan_events' | 'tag_readings',
  cutoff: string,
  retentionDays: number,
): Promise<number> {
  if (await isOfChunks(client)) {
    const { rows: dropped } = await client.query<{ chunks: number }>(
      `select drop_chunks_before('${table}', ${cutoff}) as chunks`,
      [retentionDays],
    );
    return dropped[0]?.chunks ?? 0;
  }
  const { rowCount } = await client.query(
    `delete from ${table} where observed_at < ${cutoff} and ${NOT_ARRIVING}`,
    [retentionDays],
  );
  return rowCount ?? 0;
}

/** Last of all, since changes of settings and locations wait for these rows. */
async function noteDropped(client: pg.ClientBase, retentionDays: number): Promise<void> {
  await client.query(
    `update location_sites
     set scans_dropped_before = greatest(scans_dropped_before, now() - make_interval(days => $1) - ${SURROUNDINGS})
     where ${NOT_ARRIVING}`,
    [retentionDays],
  );
}

async function forgetMessages(client: pg.ClientBase): Promise<number> {
  const { rowCount } = await client.query(
    `delete from received_messages where received_at < now() - interval '24 hours' and ${NOT_ARRIVING}`,
  );
  return rowCount ?? 0;
}

/** Rows of processes that have been gone for so long that the broker keeps nothing for them. */
async function forgetBrokerSessions(client: pg.ClientBase, retentionDays: number): Promise<void> {
  await client.query(
    'delete from broker_sessions where not is_divided and held_until < now() - make_interval(days => $1::integer)',
    [retentionDays],
  );
}

async function forgetSubmissions(client: pg.ClientBase, retentionDays: number): Promise<number> {
  const { rowCount } = await client.query(
    `delete from submissions where received_at < now() - make_interval(days => $1) and ${NOT_ARRIVING}`,
    [retentionDays],
  );
  return rowCount ?? 0;
}

/** Retractions that took nothing back: a scan for them would now be too late. The others are kept for good. */
async function forgetIdleRetractions(client: pg.ClientBase, retentionDays: number): Promise<void> {
  await client.query(
    `delete from retractions
     where taken_back = 0 and received_at < now() - make_interval(days => $1::integer) and ${NOT_ARRIVING}`,
    [retentionDays],
  );
}

/**
 * Proofs by late reads and delays are kept longer than reads, by the time that coverage looks back, so that answers
 * about assets do not change while the reads are kept.
 */
async function forgetProofs(client: pg.ClientBase, retentionDays: number): Promise<void> {
  for (const table of ['reader_proofs', 'reader_delays']) {
    await client.query(
      `delete from ${table} where ended_at < now() - make_interval(days => $1::integer + 31) and ${NOT_ARRIVING}`,
      [retentionDays],
    );
  }
}

/**
 * Organizations that upload regularly drop theirs at the next upload. A file that is being applied is left for the next
 * time.
 */
async function forgetImports(client: pg.ClientBase): Promise<void> {
  await client.query(
    `delete from imports using (
       select org_id, id from imports
       where created_at < now() - interval '7 days' and ${NOT_ARRIVING} for update skip locked
     ) old
     where imports.org_id = old.org_id and imports.id = old.id`,
  );
  await client.query(`delete from import_work where seen_at < now() - interval '7 days' and ${NOT_ARRIVING}`);
}

/** Events captured longer ago are too late by now. */
async function forgetCaptures(client: pg.ClientBase, retentionDays: number): Promise<void> {
  for (const [table, column] of [
    ['epcis_captures', 'finished_at'],
    ['epcis_events', 'captured_at'],
  ]) {
    await client.query(
      `delete from ${table} where ${column} < now() - make_interval(days => $1::integer) and ${NOT_ARRIVING}`,
      [retentionDays],
    );
  }
}

/**
 * Sessions say where people were who may never return. Each use checks whether a session has ended, and it may be idle
 * for a day at most: a clock that ran hours ahead for a while ends none for good.
 */
async function forgetSessions(client: pg.ClientBase): Promise<void> {
  await client.query(
    `delete from sessions where id in (
       select id from sessions
       where ends_at < now() - interval '1 day' or used_at < now() - interval '2 days'
       for update skip locked
     )`,
  );
}

/**
 * Leaves out rows of organizations that are arriving from another cell. They are swept there, by that cell's clock, and
 * then both copies are compared.
 */
const NOT_ARRIVING = `org_id <> all (array(select move.org_id from cell_moves move where move.state = 'arriving'))`;

/**
 * Removes the address from old sign-ins in the change log: with the time it says where a person was. The rest of an
 * entry stays. Organizations that are arriving from another cell are left out. Uses the index `changes__at_of_address`.
 *
 * @returns the number of entries.
 */
export function forgetAddresses(pool: Pool, days: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    // The log refuses changes otherwise.
    await client.query(`select set_config('tagtrail.retention', 'on', true)`);
    const { rowCount } = await client.query(
      `update changes set after = (after::jsonb - 'address')::json
       where action = 'sign_in' and after ->> 'address' is not null
         and at < now() - make_interval(days => $1::integer)
         and not exists (
           select from cell_moves move where move.org_id = changes.org_id and move.state = 'arriving'
         )`,
      [days],
    );
    return rowCount ?? 0;
  });
}

/** The tables of a feed. */
type FeedTables = readonly [events: 'moves' | 'change_events', days: string, heads: string];

/**
 * Drops expired events of both feeds: whole chunks of a hypertable, otherwise by days (UTC). One transaction also sets the
 * first kept position of a feed, so that a reader either finds an event or is told that it has expired.
 *
 * @returns the number of organizations that lost any, once for each feed.
 */
export async function sweepMoves(pool: Pool, retentionDays: number): Promise<number> {
  const moves = await sweepFeed(pool, retentionDays, ['moves', 'move_days', 'move_heads']);
  return moves + (await sweepFeed(pool, retentionDays, ['change_events', 'change_days', 'change_heads']));
}

async function sweepFeed(pool: Pool, retentionDays: number, tables: FeedTables): Promise<number> {
  const [events, days, heads] = tables;
  const count = await inSweep(pool, async (client) => {
    const isHypertable = events === 'moves' && (await isOfChunks(client));
    const day = await firstDayToKeep(client, retentionDays, isHypertable);
    const expired = day === null ? [] : await readExpired(client, day, tables);
    if (day === null || expired.length === 0) {
      return 0;
    }
    const bounds = [expired.map(({ org_id }) => org_id), expired.map(({ position }) => position)];
    if (isHypertable) {
      await client.query(`select drop_chunks_before('moves', $1::date::timestamptz)`, [day]);
    } else {
      await client.query(`select set_config('tagtrail.retention', 'on', true)`);
      await client.query(
        `delete from ${events} using unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
         where ${events}.org_id = expired.org_id and ${events}.position <= expired.position`,
        bounds,
      );
    }
    await client.query(
      `delete from ${days} using unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
       where ${days}.org_id = expired.org_id and ${days}.first_position <= expired.position`,
      bounds,
    );
    // Last, as the sealer waits for these rows.
    await client.query(
      `update ${heads} set oldest = expired.position + 1
       from unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
       where ${heads}.org_id = expired.org_id`,
      bounds,
    );
    return expired.length;
  });
  return count ?? 0;
}

/**
 * Makes the chunks of the next hours, by an invisible row in each: a transaction that makes a chunk holds back
 * others that need a new one, and at midnight all do.
 */
export async function makeChunksAhead(pool: Pool): Promise<void> {
  for (const [table, columns, values] of [
    [
      'scan_events',
      ', location_id, received_at, time_is_received, tag_type, tag_value, reader_id, antenna',
      ", 0, now(), true, '', '', 0, 0",
    ],
    ['location_transitions', ', location_id', ', 0'],
    ['tag_readings', ', tag_id', ', 0'],
  ]) {
    await inTransaction(pool, async (client) => {
      if (await isOfChunks(client)) {
        await client.query(`select set_config('tagtrail.keeps_marks', 'on', true)`);
        await client.query(
          `insert into ${table} (org_id, asset_id, observed_at${columns}) values (0, 0, now() + interval '2 hours'${values})`,
        );
        await client.query(
          `delete from ${table} where org_id = 0 and asset_id = 0 and observed_at = now() + interval '2 hours'`,
        );
      }
    });
  }
}

async function isOfChunks(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_hypertable: boolean }>(
    `select exists (select from pg_extension where extname = 'timescaledb') as is_hypertable`,
  );
  return rows[0]?.is_hypertable === true;
}

/** A chunk ends with a day. Null if there is nothing to drop. */
async function firstDayToKeep(
  client: pg.ClientBase,
  retentionDays: number,
  isHypertable: boolean,
): Promise<string | null> {
  const day = `(now() - make_interval(days => $1)) at time zone 'UTC'`;
  const { rows } = await client.query<{ day: string | null }>(
    isHypertable
      ? `select max(range_end)::date::text as day from timescaledb_information.chunks
         where hypertable_name = 'moves' and range_end <= (${day})::date::timestamptz`
      : `select (${day})::date::text as day`,
    [retentionDays],
  );
  return rows[0]?.day ?? null;
}

/** For each organization with events before that day, the last of them. */
async function readExpired(
  client: pg.ClientBase,
  day: string,
  [, days, heads]: FeedTables,
): Promise<{ org_id: number; position: number }[]> {
  const { rows } = await client.query<{ org_id: number; position: number }>(
    `select org_id, position
     from ${heads} feed
       cross join lateral (
         select coalesce((
           select first_position from ${days} known
           where known.org_id = feed.org_id and day >= $1::date order by first_position limit 1
         ), head + 1) - 1 as position
       ) last
     where position >= oldest and ${NOT_ARRIVING}
     order by org_id`,
    [day],
  );
  return rows;
}
