import pg from 'pg';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import type { TestDatabase } from '../../../support/database.ts';

/** Assets that the writers contend for. */
const ASSETS = 12;

/** Makes what {@link writeContending} counts each asset's events by. */
export async function useCounters(database: TestDatabase, orgId: number): Promise<void> {
  await database.rows(
    'create table counters (org_id integer, asset_id integer, number bigint, primary key (org_id, asset_id))',
  );
  await addCounters(database, orgId);
}

export async function addCounters(database: TestDatabase, orgId: number): Promise<void> {
  await database.rows('insert into counters select $1, asset, 0 from generate_series(1, $2::integer) asset', [
    orgId,
    ASSETS,
  ]);
}

/**
 * Writes events in `count` transactions of some milliseconds, of which each locks some assets and tells a change of each,
 * numbered by asset, as recorders do. One in ten is rolled back.
 */
export async function writeContending(url: string, orgId: number, count: number): Promise<void> {
  const client = new pg.Client(connectionConfig(url, 'test writer'));
  await client.connect();
  for (let done = 0; done < count; done++) {
    const assets = Array.from(
      { length: 1 + Math.floor(Math.random() * 4) },
      () => 1 + Math.floor(Math.random() * ASSETS),
    );
    await client.query('begin');
    // The transaction has an id before it waits for assets, which is what makes ids useless as an order.
    await client.query('select pg_current_xact_id()');
    await client.query(
      'select from counters where org_id = $1 and asset_id = any($2::integer[]) order by asset_id for update',
      [orgId, assets],
    );
    await client.query(
      `with counted as (
         update counters set number = number + 1 where org_id = $1 and asset_id = any($2::integer[]) returning *
       )
       insert into unsealed_moves (org_id, asset_id, kind, recorded_at, duration_seconds)
       select org_id, asset_id, 'moved', clock_timestamp(), number from counted`,
      [orgId, assets],
    );
    await client.query('select pg_sleep(random() ^ 4 * 0.05)');
    await client.query(Math.random() < 0.1 ? 'rollback' : 'commit');
  }
  await client.end();
}

/** What is wrong with what was sealed: nothing if every asset's events are there once and in order, without gaps. */
export function findFaults(database: TestDatabase): Promise<Record<string, number>[]> {
  return database.rows(
    `with sealed as (
       select org_id, asset_id, position, duration_seconds as number,
         row_number() over (partition by org_id order by position) as nth,
         row_number() over (partition by org_id, asset_id order by position) as nth_of_asset,
         sealed_at < lag(sealed_at) over (partition by org_id order by position) as is_earlier
       from moves
     )
     select
       (select sum(number) from counters)::integer as told,
       (select count(*) from sealed)::integer as sealed,
       (select count(*) from unsealed_moves)::integer as waiting,
       (select count(*) from sealed where position <> nth)::integer as gaps,
       (select count(*) from sealed where number <> nth_of_asset)::integer as missing_or_out_of_order,
       (select count(*) from sealed where is_earlier)::integer as back_in_time,
       (select count(*) from move_heads where head <> (select max(position) from moves where moves.org_id = move_heads.org_id))::integer as wrong_heads`,
  );
}
