import type { Micros } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { absencesOf, type ConnectionChange } from './absences.ts';

export interface ReaderId {
  orgId: number;
  readerId: number;
}

export interface ChangesOfReader extends ReaderId {
  /** By turns, in order of time; at least one. */
  changes: readonly ConnectionChange[];
}

/** Stores when readers were disconnected, and whether they are. Storing the same again changes nothing. */
export async function storeConnections(pool: Pool, readers: readonly ChangesOfReader[]): Promise<void> {
  const sorted = readers.toSorted((a, b) => a.orgId - b.orgId || a.readerId - b.readerId);
  await inTransaction(pool, (client) => store(client, sorted));
}

/**
 * Ends the connections of a broker that was killed. When it was is not known: so a reader counts as disconnected from
 * the last sign of it on.
 */
export async function endLostConnections(pool: Pool): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    const lost = await transaction.any(
      sql.type(rowsOf<{ org_id: number; reader_id: number; at: Micros }>())`
      select connection.org_id, connection.reader_id,
        micros_of_time(greatest(connection.connected_at, counted.heard_until)) as at
      from reader_connections connection
      left join reader_counters counted on counted.org_id = connection.org_id
        and counted.reader_id = connection.reader_id
      where ${isHere(sql.fragment`connection.org_id`)}
      order by connection.org_id, connection.reader_id
      for update of connection`,
    );
    await store(
      transaction,
      lost.map(({ org_id: orgId, reader_id: readerId, at }) => ({
        orgId,
        readerId,
        changes: [{ at, isConnected: false }],
      })),
    );
  });
}

async function store(transaction: Connection, readers: readonly ChangesOfReader[]): Promise<void> {
  const last = readers.map((reader) => ({ ...reader, ...(reader.changes.at(-1) as ConnectionChange) }));
  const connected = last.filter(({ isConnected }) => isConnected);
  await transaction.exec(sql.prepared('forget-reader-connections', NO_ROWS)`
    delete from reader_connections connection
    using unnest(${idsOf(last, 'orgId')}::integer[], ${idsOf(last, 'readerId')}::integer[])
      as given (org_id, reader_id)
    where connection.org_id = given.org_id and connection.reader_id = given.reader_id`);
  await transaction.exec(sql.prepared('keep-reader-connections', NO_ROWS)`
    insert into reader_connections (org_id, reader_id, connected_at)
    select * from unnest(${idsOf(connected, 'orgId')}::integer[], ${idsOf(connected, 'readerId')}::integer[],
      ${sql.binary(timestamps(connected.map(({ at }) => at)))}::timestamptz[])`);
  const returned = readers.flatMap((reader) => {
    const [first] = reader.changes;
    return first?.isConnected ? [{ ...reader, at: first.at }] : [];
  });
  await transaction.exec(sql.prepared('end-disconnected-spans', NO_ROWS)`
    update reader_spans span set ended_at = given.at
    from unnest(${idsOf(returned, 'orgId')}::integer[], ${idsOf(returned, 'readerId')}::integer[],
      ${sql.binary(timestamps(returned.map(({ at }) => at)))}::timestamptz[]) as given (org_id, reader_id, at)
    where span.org_id = given.org_id and span.reader_id = given.reader_id and span.state = 'disconnected'
      and span.ended_at is null and span.started_at <= given.at`);
  const absences = readers.flatMap((reader) =>
    absencesOf(reader.changes).map((absence) => ({ ...reader, ...absence })),
  );
  // Only the last of short absences between short connections is kept: a reader that comes and goes every second would make
  // 86,400 of them a day, so it makes 5,760 at most.
  await transaction.exec(sql.prepared('keep-disconnected-spans', NO_ROWS)`
    with given as (
      select given.*, before.started_at as before_started_at,
        before.started_at < given.since and before.ended_at >= given.chain_since - interval '15 seconds'
          and before.ended_at < before.started_at + interval '15 seconds' as replaces
      from unnest(${idsOf(absences, 'orgId')}::integer[], ${idsOf(absences, 'readerId')}::integer[],
        ${sql.binary(timestamps(absences.map(({ since }) => since)))}::timestamptz[],
        ${sql.binary(timestamps(absences.map(({ until }) => until)))}::timestamptz[],
        ${sql.binary(timestamps(absences.map(({ chainSince }) => chainSince)))}::timestamptz[])
        as given (org_id, reader_id, since, until, chain_since)
      left join lateral (
        select started_at, ended_at from reader_spans span
        where span.org_id = given.org_id and span.reader_id = given.reader_id and span.state = 'disconnected'
          and span.started_at <= given.since
        order by started_at desc limit 1
      ) before on true
    ),
    kept as (
      update reader_spans span
      set started_at = given.since,
        ended_at = case when given.replaces then given.until else coalesce(given.until, span.ended_at) end
      from given
      where span.org_id = given.org_id and span.reader_id = given.reader_id and span.state = 'disconnected'
        and span.started_at = given.before_started_at and (given.replaces or given.since = given.before_started_at)
    )
    insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
    select org_id, reader_id, 'disconnected', since, until from given
    where before_started_at is null or (before_started_at < since and not coalesce(replaces, false))`);
}

function idsOf(readers: readonly ReaderId[], which: keyof ReaderId) {
  return sql.binary(integers(readers.map((reader) => reader[which])));
}
