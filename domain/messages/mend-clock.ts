import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { wireTimeOfMicros } from '../../base/timestamps.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from '../changes/actor.ts';
import { changed, makeChange } from '../changes/make-change.ts';
import { countWrong, newestScan, type WrongScans } from '../tracking/wrong-clock/count-wrong.ts';
import { type MendedSoFar, type Mending, mendHistories } from '../tracking/wrong-clock/mend-histories.ts';
import { receivedEarlier, type WrongClock } from '../tracking/wrong-clock/wrong-clock.ts';

/** An organization's rows of a wrong clock. */
export interface WrongRows {
  scans: WrongScans;
  /** Remembered, so that a redelivery keeps the first time of reception. */
  receivedMessages: number;
  /** Which a replay dates by their reception. */
  rejectedMessages: number;
}

export async function countWrongRows(db: Connection, orgId: number, clock: WrongClock): Promise<WrongRows> {
  const { received, rejected } = await db.one(sql.type(rowsOf<{ received: number; rejected: number }>())`
    select (select count(*) from received_messages where ${receivedIn(orgId, clock)}) as received,
      (select count(*) from rejected_messages where ${receivedIn(orgId, clock)}) as rejected`);
  return {
    scans: await countWrong(db, orgId, clock),
    receivedMessages: received,
    rejectedMessages: rejected,
  };
}

export function isAnyWrong({ scans, receivedMessages, rejectedMessages }: WrongRows): boolean {
  return scans.moved + scans.of_fast_devices + scans.stayed + receivedMessages + rejectedMessages > 0;
}

/** When the newest of what {@link countWrongRows} counts was received, at `from` or later; null if there is none. */
export async function newestReceived(db: Connection, orgId: number, from: Micros): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    select micros_of_time(greatest(
      (select max(received_at) from received_messages where ${receivedSince(orgId, from)}),
      (select max(received_at) from rejected_messages where ${receivedSince(orgId, from)})
    )) as at`);
  const scan = await newestScan(db, orgId, from);
  return at === null || scan === null ? (at ?? scan) : Math.max(at, scan);
}

/**
 * Dates what a wrong clock wrote of an organization anew, in pieces, after logging it: messages first, so that one that is
 * delivered again meanwhile is recorded with the right time. Started again it goes on.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function mendClock(
  pool: Pool,
  actor: Actor,
  orgId: number,
  clock: WrongClock,
  mending: Mending,
): Promise<MendedSoFar & { isFinished: boolean }> {
  await makeChange(databaseOn(pool), actor, async () =>
    changed(undefined, [
      {
        orgId,
        action: 'mend_clock',
        resource: { type: 'organization', id: orgId },
        before: null,
        after: {
          received_from: wireTimeOfMicros(clock.from),
          received_to: wireTimeOfMicros(clock.to),
          ahead_seconds: clock.ahead / MICROS_PER_SECOND,
          is_all: clock.isAll,
        },
      },
    ]),
  );
  await mendMessages(pool, orgId, clock);
  return mendHistories(pool, orgId, clock, mending);
}

/** Messages in a transaction. */
const PIECE = 5_000;

async function mendMessages(pool: Pool, orgId: number, clock: WrongClock): Promise<void> {
  const mendReceived = sql.type(NO_ROWS)`
    update received_messages message set received_at = ${receivedEarlier(clock)}
    from (
      select digest from received_messages where ${receivedIn(orgId, clock)}
      order by digest limit ${PIECE} for update
    ) wrong
    where message.org_id = ${orgId}::integer and message.digest = wrong.digest`;
  const mendRejected = sql.type(NO_ROWS)`
    update rejected_messages message set received_at = ${receivedEarlier(clock)}
    from (
      select id from rejected_messages where ${receivedIn(orgId, clock)} order by id limit ${PIECE} for update
    ) wrong
    where message.id = wrong.id`;
  for (const mend of [mendReceived, mendRejected]) {
    for (let mended = PIECE; mended > 0; ) {
      mended = await inTransaction(pool, (client) => client.exec(mend));
    }
  }
}

function receivedIn(orgId: number, { from, to }: WrongClock): FragmentSqlToken {
  return sql.fragment`${receivedSince(orgId, from)} and received_at < time_of_micros(${to}::bigint)`;
}

function receivedSince(orgId: number, from: Micros): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId}::integer and received_at >= time_of_micros(${from}::bigint)`;
}
