import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../base/instant.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { loadAssetEvidence, MOST_ASSETS } from '../../domain/alerts/conditions/load-asset-evidence.ts';
import { nextLook } from '../../domain/alerts/conditions/next-look.ts';
import { stretchesOf } from '../../domain/alerts/conditions/rule-kinds.ts';
import type { DatedRule } from '../../domain/alerts/rules/rule.ts';
import { UNBOUND } from '../../domain/tracking/reading-bound.ts';
import { openDatabaseServer } from './database-server.ts';
import { newOrganization } from './new-organization.ts';

/**
 * What decides when rules held for assets: `node test/bench/conditions.ts 200`. So many assets at 200 locations in 20 halls,
 * each read every ten seconds of a week, but for an hour, and moving 20 times a day; 20 rules, ten of them about what is not
 * read, from 30 minutes up.
 */
const MINUTE = 60 * MICROS_PER_SECOND;
const ROUNDS = 5;

async function fill(url: string, assets: number): Promise<number> {
  const { client, orgId } = await newOrganization(url);
  const statements = [
    `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
     select org_id, id, created_at, 'continuous', 3600, false, 'all' from locations where org_id = $1`,
    `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
     select $1::integer, n, n, 'tagtrail', n, sha256('x') from generate_series(21, 220) n`,
    `insert into antennas (org_id, reader_id, port, location_id)
     select reader.org_id, reader.id, 1, location.id from readers reader
     join locations location on location.external_key = 'PLACE-' || reader.name where reader.org_id = $1`,
    `update antenna_versions set since = now() - interval '1 year' where org_id = $1`,
    `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
     select org_id, id, 'up', now() - interval '8 days', now(), 1 from readers where org_id = $1`,
    `insert into assets (org_id, external_key, name)
     select $1::integer, 'ASSET-' || n, 'Asset' from generate_series(1, ${assets}) n`,
  ];
  // Without the triggers of transitions.
  const recorded = [
    `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
     select $1::integer, asset, now() - (step + asset % 97 / 97.0) * interval '72 minutes', 21 + (asset * 7 + step * 31) % 200, 1
     from generate_series(0, 139) step, generate_series(1, ${assets}) asset`,
    `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
       tag_value, reader_id, antenna)
     select $1::integer, asset, 21, at, at, false, 'rfid', 'TAG-' || asset, 1, 1
     from generate_series(0, 60479) step, generate_series(1, ${assets}) asset,
       lateral (select now() - (step + asset % 97 / 97.0) * interval '10 seconds' as at) read
     where step / 360 <> asset % 160 + 3`,
    `insert into positions (org_id, asset_id, location_id, since, last_seen)
     select asset.org_id, asset.id, last.location_id, last.observed_at, now() - id % 97 / 97.0 * interval '10 seconds'
     from assets asset cross join lateral (
       select location_id, observed_at from location_transitions transition
       where transition.org_id = $1 and transition.asset_id = asset.id order by observed_at desc limit 1
     ) last`,
  ];
  for (const statement of statements) {
    await client.query(statement, [orgId]);
  }
  await client.query('set session_replication_role = replica');
  for (const statement of recorded) {
    await client.query(statement, [orgId]);
  }
  await client.query('vacuum analyze');
  await client.end();
  return orgId;
}

function rulesOf(orgId: number): DatedRule[] {
  const weekly = [0, 1, 2, 3, 4].map((day) => ({ day, from: 7 * 60, until: 18 * 60 }));
  const kinds = [
    ...Array.from({ length: 10 }, () => 'overdue' as const),
    ...Array.from({ length: 4 }, () => 'dwell' as const),
    ...Array.from({ length: 3 }, () => 'not_allowed' as const),
    ...Array.from({ length: 3 }, () => 'must_be' as const),
  ];
  return kinds.map((kind, index) => ({
    ...{ ruleId: `RULE-${index}`, orgId, kind, name: 'Rule', mailTo: [], from: 0, until: null },
    after: kind === 'not_allowed' ? null : (30 + index) * MINUTE,
    bound: UNBOUND,
    thenAfter: kind === 'overdue' || kind === 'dwell' ? (90 + index) * MINUTE : null,
    locationId: kind === 'overdue' ? null : 1 + (index % 20),
    hours: kind === 'must_be' ? { timeZone: 'Europe/Berlin', weekly } : null,
    selection: {
      ...{ assetIds: null, metadata: [], readerIds: null },
      withinLocationId: index % 2 === 0 ? null : 1 + index,
    },
  }));
}

/** Milliseconds: others may run beside. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function measure(serverUrl: string, assets: number): Promise<void> {
  const url = withDatabase(serverUrl, `bench_conditions_${assets}_${process.pid}`);
  const orgId = await fill(url, assets);
  const pool = createWritePool(url, { max: 1 });
  const rules = rulesOf(orgId);
  const ids = Array.from({ length: Math.min(assets, MOST_ASSETS) }, (_, index) => index + 1);
  const now = Date.now() * 1_000;
  for (const [name, span] of [
    ['a week', 7 * MICROS_PER_DAY],
    ['a minute', MINUTE],
  ] as const) {
    const times: { load: number; derive: number; look: number }[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const window = { since: now - span, until: now };
      const since = performance.now();
      const { assets: loaded, around } = await loadAssetEvidence(databaseOn(pool), orgId, rules, ids, window);
      const loadedAt = performance.now();
      const begun = processorTime();
      found = loaded.flatMap((asset) => rules.flatMap((rule) => stretchesOf([rule], asset, around))).length;
      const derived = processorTime();
      loaded.flatMap((asset) => rules.map((rule) => nextLook([rule], asset, around)));
      times.push({ load: loadedAt - since, derive: derived - begun, look: processorTime() - derived });
    }
    const said = (of: 'load' | 'derive' | 'look') => {
      const sorted = times.map((time) => time[of]).sort((a, b) => a - b);
      return `${of} ${(sorted[Math.floor(ROUNDS / 2)] ?? 0).toFixed(0)} ms (${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)})`;
    };
    console.log(
      `${assets} assets, ${rules.length} rules, ${name}: ${said('load')}, ${said('derive')}, ${said('look')}; ${found} stretches`,
    );
  }
  await pool.end();
}

const server = await openDatabaseServer();
try {
  for (const size of process.argv.slice(2).map(Number)) {
    await measure(server.url, size);
  }
} finally {
  await server.close();
}
