import type pg from 'pg';
import { processorTime } from '../../support/processor-time.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import type { IngestOptions } from './options.ts';
import { createSite, onServer } from './site.ts';

/**
 * What a late read takes the database at the least: each statement by itself, for reads that fall into the last stay but one
 * of their assets, with nothing but what has to be asked or written.
 */
export async function benchFloor(serverUrl: string, { repetitions }: IngestOptions): Promise<void> {
  const site = await createSite(serverUrl, HISTORY);
  try {
    await onServer(site.url, async (client) => {
      await client.query(LATE);
      await client.query('analyze late');
      await client.query(SETTINGS);
      const { rows } = await client.query<Bounds>(BOUNDS);
      const bounds = rows[0] as Bounds;
      const measure = (statements: Readonly<Record<string, string>>) =>
        interleaved(
          repetitions,
          Object.fromEntries(
            Object.entries(statements).map(([name, text]) => [name, () => measured(client, name, text)]),
          ),
        );
      // What writing leaves behind would take look-ups longer.
      const results = { ...(await measure(lookUpsWithin(bounds))), ...(await measure(writesWithin(bounds))) };
      console.log('\nWhat a late read takes the database at the least, us');
      const nothing = results[NOTHING] ?? [];
      for (const [name, runs] of Object.entries(results)) {
        const above = runs.map(
          (time, round) => time - (name === NOTHING ? 0 : (nothing[round] ?? Number.NaN)),
        );
        console.log(`  ${show(spreadOf(above), 1)}  ${name}`);
      }
    });
  } finally {
    await site.drop();
  }
}

/** Two hundred scans of each asset, in ten stays. */
const HISTORY = 1e6;

/** A fifth of a thousand reads. */
const READS_A_BATCH = 200;

const BATCHES = 25;

const PASSES = 20;

let passes = 0;

/** Microseconds of the server's processor time for each read, in transactions that are rolled back. */
async function measured(client: pg.Client, name: string, text: string): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pids = rows.map(({ pid }) => pid);
  const before = processorTime(pids);
  for (let pass = 0; pass < PASSES; pass++) {
    // What was rolled back takes time where a row with the same key comes.
    passes += 1;
    await client.query('begin');
    for (let batch = 1; batch <= BATCHES; batch++) {
      await client.query({ name, text, values: [batch, passes] });
    }
    await client.query('rollback');
  }
  return ((processorTime(pids) - before) * 1e6) / (PASSES * BATCHES * READS_A_BATCH);
}

/** A minute after the tenth last scan of each asset. */
const LATE = `create temp table late as
  select 1 + ordinal / ${READS_A_BATCH} as batch, scan.*
  from (select id, row_number() over (order by md5(id::text)) - 1 as ordinal from assets limit ${BATCHES * READS_A_BATCH})
    asset
  cross join lateral (select org_id, asset_id, location_id, observed_at + interval '1 minute' as observed_at, tag_value,
      reader_id, antenna
    from scan_events where asset_id = asset.id and org_id = 1 order by observed_at desc offset 9 limit 1) scan`;

/** As `findByIndexes` has them, but for the session. */
const SETTINGS = `create index on late (batch);
  set enable_seqscan = off; set cpu_index_tuple_cost = 1; set cpu_operator_cost = 0; set jit = off;
  set plan_cache_mode = force_generic_plan; set timescaledb.enable_runtime_exclusion = off;
  set tagtrail.keeps_marks = on`;

/** Where no look-up comes by what was rolled back. */
const OUT_OF_THE_WAY = "observed_at - interval '3 days'";

interface Bounds {
  first: string;
  last: string;
  /** Later than all scans. */
  newest: string;
}

const BOUNDS = `select (min(observed_at) - interval '1 minute')::text as first,
  (max(observed_at) + interval '1 minute')::text as last,
  (select max(observed_at) + interval '1 second' from scan_events)::text as newest
  from late`;

const NOTHING = 'a batch with a look-up of nothing';

const OF_ASSET = 'org_id = late.org_id and asset_id = late.asset_id';

/** Of each the number of the batch and that of the pass are the parameters. */
function lookUpsWithin({ first, last }: Bounds): Record<string, string> {
  const lookUp = (what: string) =>
    `select count(near.found) from late cross join lateral (${what} offset 0) near
     where batch = $1 and $2::integer > 0`;
  return {
    [NOTHING]: lookUp('select late.asset_id as found'),
    'the stay that it falls into': lookUp(
      `select location_id as found from location_transitions where ${OF_ASSET} and observed_at < late.observed_at
         and observed_at < '${last}' order by observed_at desc limit 1`,
    ),
    'that there is no scan at its instant': lookUp(
      `select location_id as found from scan_events where ${OF_ASSET}
         and observed_at between late.observed_at and late.observed_at
         and observed_at >= '${first}' order by observed_at limit 1`,
    ),
    'the scan after it': lookUp(
      `select location_id as found from scan_events where ${OF_ASSET} and observed_at >= late.observed_at
         and observed_at >= '${first}' order by observed_at limit 1`,
    ),
    'the transition after it': lookUp(
      `select duration_seconds as found from location_transitions where ${OF_ASSET} and observed_at >= late.observed_at
         and observed_at >= '${first}' order by observed_at limit 1`,
    ),
  };
}

function writesWithin({ first, newest }: Bounds): Record<string, string> {
  const scanAt = (time: string) =>
    `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
       tag_value, rssi, reader_id, antenna)
     select org_id, asset_id, location_id, ${time} + $2::integer * interval '1 millisecond', now(), false, 'rfid',
       tag_value, -54, reader_id, antenna
     from late where batch = $1`;
  return {
    'its own row': scanAt(OUT_OF_THE_WAY),
    'the row of a read in order': scanAt(`'${newest}'::timestamptz`),
    'a transition added': `insert into location_transitions (org_id, asset_id, observed_at, location_id,
         duration_seconds, received_at, tag_type, tag_value, rssi, reader_id, antenna)
       select org_id, asset_id, ${OUT_OF_THE_WAY} + $2::integer * interval '1 millisecond', location_id, 60, now(), 'rfid',
         tag_value, -54, reader_id, antenna
       from late where batch = $1`,
    'a transition corrected': `update location_transitions stored set duration_seconds = $2::integer
       from late cross join lateral (
         select tableoid as part, ctid as row from location_transitions
         where ${OF_ASSET} and observed_at >= late.observed_at and observed_at >= '${first}'
         order by observed_at limit 1 offset 0
       ) found
       where batch = $1 and stored.ctid = found.row and stored.tableoid = found.part`,
    'its event': `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, location_id, since, last_seen,
         previous_location_id, rows)
       select org_id, asset_id, 'corrected', now(), location_id, observed_at, now(), location_id,
         '{"added":[[1763935200000000,12,60]],"changed":[[1763935260000000,13,60,13,120]]}'
       from late where batch = $1 and $2::integer > 0`,
  };
}
