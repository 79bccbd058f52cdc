import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { asStandbys, withDatabase } from '../../db/timescale/connections/database-url.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { listAssets } from '../../domain/master-data/assets/list.ts';
import { backendsOf, timeSince, timesOf } from '../support/processor-time.ts';
import { startReplicated } from '../support/replicated-database.ts';
import { quantile, show, spreadOf } from '../support/statistics.ts';
import { callFor } from './call-for.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { fill } from './rows/seed.ts';

const ASSETS = 20_000;
const NOTHING = 'list that reads nothing';
const DEEP = 'page of 50 assets, 10,000 deep';
const WRITES_A_SECOND = [0, 10, 100];

const PAGE = {
  ...{ sort: [{ field: 'external_key' as const, isDescending: false }], limit: 50, offset: ASSETS / 2 },
  ...{ include_deleted: false, include_not_in_effect: false },
};

type List = (door: OrganizationDoor) => Promise<unknown>;

/** Lists without HTTP, by one caller, with a standby that may answer and without: a real primary and its standby. */
export async function benchReplica(options: BenchOptions): Promise<void> {
  const servers = await startReplicated();
  const filled = await fill(servers.primary, { assets: ASSETS, scans: 0 });
  const standbyUrl = withDatabase(servers.standby, new URL(filled.url).pathname.slice(1));
  const [primary, standby] = await Promise.all([connect(filled.url), connect(standbyUrl)]);
  // As without a setting; else each commit waits until the standby has it.
  await primary.query('alter system reset synchronous_standby_names');
  await primary.query('select pg_reload_conf()');
  await untilReplayed(primary, standby);
  const open = (applicationName: string, readUrl: string | null) =>
    openOrganizationDoor(filled.url, { max: 4, applicationName, readUrl });
  const doors = { without: open('without', null), with: open('with', asStandbys(standbyUrl)) };
  const lists: Record<string, List> = {
    [NOTHING]: (door) =>
      door
        .of(filled.orgId)
        .listing({ isBrief: false, signal: undefined })
        .one(sql.type(rowsOf<{ one: number }>())`select 1 as one`),
    [DEEP]: (door) => listAssets(door.of(filled.orgId), PAGE, noLargeRows),
  };
  const write = () =>
    primary.query(
      'update assets set name = name where id = 1 + mod(extract(epoch from now())::integer, 1000)',
    );
  const writeAll = () => primary.query(`update assets set name = name`);
  await benchCost(lists, doors, { primary, standby }, options);
  await benchShare(doors.with, lists[DEEP] as List, write, options);
  await benchDelay(
    doors.with,
    lists[NOTHING] as List,
    { 'no commit': [20, async () => {}], 'one row': [20, write], [`${ASSETS} rows`]: [3, writeAll] },
    options,
  );
  await Promise.all([doors.with.end(), doors.without.end(), primary.end(), standby.end()]);
  await servers.remove();
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url, 'bench'));
  await client.connect();
  return client;
}

function noLargeRows(): never {
  throw new Error('a row is large');
}

/** @throws if the standby has not replayed all within a minute. */
async function untilReplayed(primary: pg.Client, standby: pg.Client): Promise<void> {
  const { rows } = await primary.query('select pg_current_wal_flush_lsn()::text as lsn');
  for (const until = performance.now() + 60_000; performance.now() < until; await pause(50)) {
    const replayed = await standby.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_there', [
      rows[0]?.lsn,
    ]);
    if (replayed.rows[0]?.is_there) {
      return;
    }
  }
  throw new Error('the standby does not follow');
}

interface Cost {
  node: number;
  primary: number;
  standby: number;
  milliseconds: number;
}

async function benchCost(
  lists: Record<string, List>,
  doors: Record<'with' | 'without', OrganizationDoor>,
  { primary, standby }: { primary: pg.Client; standby: pg.Client },
  options: BenchOptions,
): Promise<void> {
  const backends = async (pool: pg.Client, way: string) =>
    (await Promise.all([way, `${way} lists`].map((name) => backendsOf(pool, name)))).flat();
  const measurements = Object.entries(lists).flatMap(([label, list]) =>
    (['without', 'with'] as const).map((way): [string, () => Promise<Cost>] => [
      `${label}, ${way}`,
      async () => {
        const before = {
          primary: timesOf(await backends(primary, way)),
          standby: timesOf(await backends(standby, way)),
          node: process.cpuUsage(),
        };
        const { calls, seconds } = await callFor(options.seconds, 1, () => list(doors[way]));
        const { user, system } = process.cpuUsage(before.node);
        return {
          node: (user + system) / calls,
          primary: (timeSince(before.primary, await backends(primary, way)) * 1e6) / calls,
          standby: (timeSince(before.standby, await backends(standby, way)) * 1e6) / calls,
          milliseconds: (seconds * 1e3) / calls,
        };
      },
    ]),
  );
  const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
  console.log(
    '\nLists without HTTP, with a replica and without: us of processor time of each, and ms by the clock',
  );
  for (const [label, costs] of Object.entries(results)) {
    const of = (pick: (cost: Cost) => number, digits = 0) => show(spreadOf(costs.map(pick)), digits);
    console.log(`  ${label}`);
    console.log(`    Node.js ${of(({ node }) => node)}   primary ${of((cost) => cost.primary)}`);
    console.log(
      `    standby ${of((cost) => cost.standby)}   ms ${of(({ milliseconds }) => milliseconds, 2)}`,
    );
  }
}

/** Of lists asked for one after the other while rows are written so many times a second. */
async function benchShare(
  door: OrganizationDoor,
  list: List,
  write: () => Promise<unknown>,
  options: BenchOptions,
): Promise<void> {
  const measurements = WRITES_A_SECOND.map((rate): [string, () => Promise<number>] => [
    `${rate} writes/s`,
    async () => {
      const before = answersOf(door);
      const until = performance.now() + options.seconds * 1_000;
      const writing = (async () => {
        while (rate > 0 && performance.now() < until) {
          await Promise.all([write(), pause(1_000 / rate)]);
        }
      })();
      await callFor(options.seconds, 1, () => list(door));
      await writing;
      const { byReplica, byPrimary } = answersOf(door);
      const replica = byReplica - before.byReplica;
      return (100 * replica) / (replica + byPrimary - before.byPrimary);
    },
  ]);
  const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
  console.log(`\nOf lists asked for one after the other (${DEEP}) the replica answered, %`);
  for (const [label, shares] of Object.entries(results)) {
    console.log(`  ${label.padEnd(12)} ${show(spreadOf(shares), 1)}`);
  }
}

interface Delay {
  median: number;
  longest: number;
  toPrimary: number;
}

/**
 * From a commit until the replica has answered a list that was asked for after it.
 *
 * @param writes of each, how often in a round.
 */
async function benchDelay(
  door: OrganizationDoor,
  list: List,
  writes: Record<string, [number, () => Promise<unknown>]>,
  options: BenchOptions,
): Promise<void> {
  const untilAnswered = async () => {
    const { byReplica, byPrimary } = answersOf(door);
    const since = performance.now();
    while (answersOf(door).byReplica === byReplica) {
      await list(door);
    }
    return { ms: performance.now() - since, byPrimary: answersOf(door).byPrimary - byPrimary };
  };
  const measured = async (times: number, write: () => Promise<unknown>): Promise<Delay> => {
    const all: { ms: number; byPrimary: number }[] = [];
    for (let time = 0; time < times; time++) {
      await untilAnswered();
      await write();
      all.push(await untilAnswered());
    }
    const sorted = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return {
      median: quantile(sorted, 0.5),
      longest: sorted.at(-1) ?? Number.NaN,
      toPrimary: (100 * all.filter(({ byPrimary }) => byPrimary > 0).length) / times,
    };
  };
  const measurements = Object.entries(writes).map(
    ([label, [times, write]]): [string, () => Promise<Delay>] => [
      `${label}, ${times} times a round`,
      () => measured(times, write),
    ],
  );
  const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
  console.log(
    '\nFrom a commit until the replica answers a list asked for after it, and how often the primary did before',
  );
  for (const [label, rounds] of Object.entries(results)) {
    const of = (pick: (round: Delay) => number, digits: number) => show(spreadOf(rounds.map(pick)), digits);
    console.log(`  ${label}: ms, median ${of(({ median }) => median, 1)}`);
    console.log(
      `    longest ${of(({ longest }) => longest, 1)}   by the primary, % ${of((each) => each.toPrimary, 0)}`,
    );
  }
}

function answersOf({ replicaReads }: OrganizationDoor): { byReplica: number; byPrimary: number } {
  return { byReplica: replicaReads?.byReplica ?? 0, byPrimary: replicaReads?.byPrimary ?? 0 };
}
