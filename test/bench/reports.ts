import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import {
  type OrganizationDatabase,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { joinStretches } from '../../domain/presence/coverage/join-stretches.ts';
import { type DwellFilters, readDwell } from '../../domain/reports/dwell/read-dwell.ts';
import { type Known, requireKnown } from '../../domain/reports/known/known-at.ts';
import type { PlaceFilters } from '../../domain/reports/places-during.ts';
import { listPositionsAt } from '../../domain/reports/positions-at/list-positions-at.ts';
import { countStates } from '../../domain/reports/presence/count-states.ts';
import { listPresence } from '../../domain/reports/presence/list-presence.ts';
import { listStays } from '../../domain/reports/stays/list-stays.ts';
import { readTurns } from '../../domain/reports/turns/read-turns.ts';
import { readGaps } from '../../services/console/coverage/routes.ts';
import { openDatabaseServer } from './database-server.ts';
import { newOrganization } from './new-organization.ts';

/**
 * Reports about the past, and of presence: `node test/bench/reports.ts 1e5 1e7`. 20,000 assets at 200 locations in 20 halls, each moving so
 * often in the last year, and what is asked: a page of one place, a hall, one asset, everything, in the middle of the year.
 */
const ASSETS = 20_000;
const DAY = 86_400_000_000;
const ROUNDS = 9;

async function fill(url: string, transitions: number): Promise<number> {
  const { client, orgId } = await newOrganization(url);
  await client.query(
    `insert into assets (org_id, external_key, name, created_at)
     select $1, 'ASSET-' || n, 'Asset', now() - interval '1 year' from generate_series(1, $2::integer) n`,
    [orgId, ASSETS],
  );
  const each = Math.round(transitions / ASSETS);
  await client.query(`alter table location_transitions disable trigger user`);
  await client.query(
    `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
     select $1, asset, now() - interval '1 year' + (step + asset % 97 / 97.0) * interval '1 year' / $3::integer,
       21 + (asset * 7 + step * 31) % 200, 1
     from generate_series(0, $3::integer - 1) step, generate_series(1, $2::integer) asset`,
    [orgId, ASSETS, each],
  );
  await client.query(
    `insert into positions (org_id, asset_id, location_id, since, last_seen)
     select asset.org_id, asset.id, last.location_id, last.observed_at, last.observed_at
     from assets asset cross join lateral (
       select location_id, observed_at from location_transitions transition
       where transition.org_id = asset.org_id and transition.asset_id = asset.id
       order by observed_at desc limit 1
     ) last`,
  );
  await fillPresence(client, orgId);
  await client.query('vacuum analyze');
  await client.end();
  await joinAll(url, orgId);
  return orgId;
}

/** As the deriver of silences does, turn by turn. */
async function joinAll(url: string, orgId: number): Promise<void> {
  const pool = createWritePool(url, { max: 1 });
  await pool.query('truncate silence_revisions');
  const { rows } = await pool.query<{ id: number }>('select id from readers where org_id = $1', [orgId]);
  for (const { id: readerId } of rows) {
    while (await joinStretches(pool, { orgId, readerId }, Date.now() * 1_000)) {
      // A day at a time.
    }
  }
  await pool.query('vacuum analyze reader_joined_spans');
  await pool.end();
}

/** As many as there may be, all of what is overdue: half name assets, the others halls, and what the metadata says. */
async function addRules(url: string, orgId: number): Promise<void> {
  const pool = createWritePool(url, { max: 1 });
  await pool.query(
    `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, then_seconds,
       asset_ids, within_location_id, metadata, mail_to)
     select $1, lpad(n::text, 26, '0'), 1, now() - interval '30 days', false, 'overdue', 'Rule', 600 + n, 7200 + n,
       case when n <= 100 then (select array_agg((n * 200 + m) % $2::integer + 1) from generate_series(1, 1000) m) end,
       case when n > 150 then n % 20 + 1 end,
       case when n between 101 and 150
         then jsonb_build_array(jsonb_build_object('path', jsonb_build_array('kind'), 'value', n::text)) else '[]' end, '{}'
     from generate_series(1, 200) n`,
    [orgId, ASSETS],
  );
  await pool.query(
    `update assets set metadata = json_build_object('kind', (id % 200)::text) where org_id = $1`,
    [orgId],
  );
  await pool.query('vacuum analyze rules, assets');
  await pool.end();
}

/** A reader at each location that is watched continuously, heard every minute of the last seven days. */
async function fillPresence(client: pg.Client, orgId: number): Promise<void> {
  await client.query(
    `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
     select org_id, id, created_at, 'continuous', 3600, false, 'all' from locations where org_id = $1`,
    [orgId],
  );
  await client.query(
    `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
     select $1, n, n, 'tagtrail', n, sha256('x') from generate_series(1, 220) n`,
    [orgId],
  );
  await client.query(
    `insert into antennas (org_id, reader_id, port, location_id)
     select reader.org_id, reader.id, 1, location.id from readers reader
     join locations location on location.external_key = 'PLACE-' || reader.name where reader.org_id = $1`,
    [orgId],
  );
  await client.query(`update antenna_versions set since = now() - interval '1 year'`);
  await client.query(
    `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
     select org_id, id, 'up', now() - minute * interval '1 minute', now() - minute * interval '1 minute', 1
     from readers, generate_series(1, 7 * 1440) minute where org_id = $1`,
    [orgId],
  );
  await client.query(
    `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
     select org_id, id, 'set', now() - interval '1 year', 120 from readers where org_id = $1`,
    [orgId],
  );
}

async function measure(serverUrl: string, transitions: number): Promise<void> {
  const url = withDatabase(serverUrl, `bench_reports_${transitions}_${process.pid}`);
  const orgId = await fill(url, transitions);
  const door = openOrganizationDoor(url, { max: 4, scanTimeout: 60_000 });
  const db = door.of(orgId);
  const now = Date.now() * 1_000;
  const at = now - 180 * DAY;
  const page = { limit: 50, offset: 0, include_deleted: false, include_descendants: false };
  const known = await requireKnown(db, { at: now - 1_000, before: now }, {});
  const byKey = [{ field: 'asset_external_key' as const, isDescending: false }];
  const byEntry = [{ field: 'entered_at' as const, isDescending: true }];
  const month = { from: at - 30 * DAY, to: at };
  const place = { ...page, location_id: [40] };
  const hall = { ...page, location_id: [2], include_descendants: true };
  const asset = { ...page, asset_id: [4711] };
  const dwell = (group: DwellFilters['group_by'], filters: PlaceFilters, asKnown: Known | null = null) =>
    readDwell(db, month, asKnown, {
      ...page,
      ...filters,
      group_by: group,
      time_zone: 'Europe/Berlin',
      sort: [],
    });
  const turns = (left: PlaceFilters, reached: PlaceFilters) =>
    readTurns(db, month, { left, reached }, { ...page, group_by: undefined, time_zone: 'UTC', sort: [] });
  const presence = { ...page, include_not_in_effect: false, sort: byKey };
  const questions: Question[] = [
    ['positions-at, all', () => listPositionsAt(db, at, null, { ...page, sort: byKey })],
    ['positions-at, a place', () => listPositionsAt(db, at, null, { ...place, sort: byKey })],
    ['positions-at, a hall', () => listPositionsAt(db, at, null, { ...hall, sort: byKey })],
    ['positions-at, an asset', () => listPositionsAt(db, at, null, { ...asset, sort: byKey })],
    ['positions-at, all, known', () => listPositionsAt(db, at, known, { ...page, sort: byKey })],
    ['stays of a month, a place', () => listStays(db, month, null, { ...place, sort: byEntry })],
    ['stays of a month, a hall', () => listStays(db, month, null, { ...hall, sort: byEntry })],
    ['stays of a month, an asset', () => listStays(db, month, null, { ...asset, sort: byEntry })],
    ['stays of a month, all', () => listStays(db, month, null, { ...page, sort: byEntry })],
    ['presence now, all', () => listPresence(db, now, presence)],
    ['presence now, 200 of all', () => listPresence(db, now, { ...presence, limit: 200 })],
    ['presence now, a place', () => listPresence(db, now, { ...presence, location_id: [40] })],
    ['presence now, an asset', () => listPresence(db, now, { ...presence, asset_id: [4711] })],
    ['presence now, overdue', () => listPresence(db, now, { ...presence, state: ['overdue'] })],
    ['assets by state', () => counted(db)],
    [
      'gaps of coverage, an asset',
      async () => ({ totalCount: (await readGaps(db, 4711, {}, new AbortController().signal)).gaps.length }),
    ],
    ['presence then, all', () => listPresence(db, at, { ...presence, include_not_in_effect: true })],
    [
      'stays of a day, all',
      () => listStays(db, { from: at - DAY, to: at }, null, { ...page, sort: byEntry }),
    ],
    ['dwell of a month, a place', () => dwell('location', place)],
    ['dwell of a month, a hall', () => dwell('location', hall)],
    ['dwell of a month, an asset', () => dwell('location', asset)],
    ['dwell of a month, all', () => dwell('location', page)],
    ['dwell of a month, all, known', () => dwell('location', page, known)],
    ['dwell of a month, by asset', () => dwell('asset', page)],
    ['dwell of a month, by day', () => dwell('day', page)],
    ['turns of a month, places', () => turns(place, { ...page, location_id: [140] })],
    ['turns of a month, halls', () => turns(hall, { ...hall, location_id: [3] })],
  ];
  const underRules: Question[] = [
    ['presence now, all, 200 rules', () => listPresence(db, now, presence)],
    ['overdue now, 200 rules', () => listPresence(db, now, { ...presence, state: ['overdue'] })],
    ['assets by state, 200 rules', () => counted(db)],
  ];
  await timeAll(transitions, questions);
  await addRules(url, orgId);
  await timeAll(transitions, underRules);
  await door.end();
}

async function counted(db: OrganizationDatabase): Promise<{ totalCount: number }> {
  const counts = await countStates(db);
  return {
    totalCount:
      typeof counts === 'string' ? Number.NaN : Object.values(counts.counts).reduce((a, b) => a + b),
  };
}

type Question = [name: string, ask: () => Promise<{ totalCount: number }>];

/** And how long others waited for the loop. */
async function timeAll(transitions: number, questions: readonly Question[]): Promise<void> {
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  for (const [name, ask] of questions) {
    held.reset();
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const since = performance.now();
      total = (await ask()).totalCount;
      times.push(performance.now() - since);
    }
    const sorted = times.slice(1).sort((a, b) => a - b);
    const [median = 0, most = 0] = [sorted[Math.floor(ROUNDS / 2)], sorted.at(-1)];
    console.log(
      `${transitions.toExponential()}  ${name.padEnd(28)} ${median.toFixed(0)} ms (at most ${most.toFixed(0)}), ${total} rows, loop ${(held.max / 1e6).toFixed(0)} ms`,
    );
  }
  held.disable();
}

const server = await openDatabaseServer();
try {
  for (const size of process.argv.slice(2).map(Number)) {
    await measure(server.url, size);
  }
} finally {
  await server.close();
}
