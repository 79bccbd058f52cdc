import type pg from 'pg';
import type { Pool } from '../connections/client.ts';
import { inSweep } from './in-sweep.ts';
import { NOT_ARRIVING } from './not-arriving.ts';

/**
 * Drops the events of the move feed that are older than so many days, by whole chunks of a hypertable, otherwise by
 * days (UTC). In one transaction with the first position that is then kept, so that a reader either finds an event or
 * is told that it has expired.
 *
 * @returns how many organizations lost any.
 */
export async function sweepMoves(pool: Pool, retentionDays: number): Promise<number> {
  const count = await inSweep(pool, async (client) => {
    const isHypertable = await isOfChunks(client);
    const day = await firstDayToKeep(client, retentionDays, isHypertable);
    const expired = day === null ? [] : await readExpired(client, day);
    if (day === null || expired.length === 0) {
      return 0;
    }
    const bounds = [expired.map(({ org_id }) => org_id), expired.map(({ position }) => position)];
    if (isHypertable) {
      await client.query(`select drop_chunks_before('moves', $1::date::timestamptz)`, [day]);
    } else {
      await client.query(`select set_config('tagtrail.retention', 'on', true)`);
      await client.query(
        `delete from moves using unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
         where moves.org_id = expired.org_id and moves.position <= expired.position`,
        bounds,
      );
    }
    await client.query(
      `delete from move_days using unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
       where move_days.org_id = expired.org_id and move_days.first_position <= expired.position`,
      bounds,
    );
    // Last, as the sealer waits for these rows.
    await client.query(
      `update move_heads set oldest = expired.position + 1
       from unnest($1::integer[], $2::bigint[]) as expired (org_id, position)
       where move_heads.org_id = expired.org_id`,
      bounds,
    );
    return expired.length;
  });
  return count ?? 0;
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

/** For each organization with events before that day the last of them. */
async function readExpired(
  client: pg.ClientBase,
  day: string,
): Promise<{ org_id: number; position: number }[]> {
  const { rows } = await client.query<{ org_id: number; position: number }>(
    `select org_id, position
     from move_heads
       cross join lateral (
         select coalesce((
           select first_position from move_days
           where move_days.org_id = move_heads.org_id and day >= $1::date order by first_position limit 1
         ), head + 1) - 1 as position
       ) last
     where position >= oldest and ${NOT_ARRIVING}
     order by org_id`,
    [day],
  );
  return rows;
}
