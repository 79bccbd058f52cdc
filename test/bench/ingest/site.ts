import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';

/** What the traffic is about: readers with antennas, each antenna at a location of its own, and assets with a tag. */
export const READERS = 20;
export const ANTENNAS = 4;
export const ASSETS = 5_000;

export const readerName = (reader: number) => `portal-${String(reader + 1).padStart(2, '0')}`;
export const tagValue = (asset: number) => `E280${String(asset + 1).padStart(20, '0')}`;

export interface Place {
  reader: number;
  antenna: number;
}

/** Where the antenna of a location is. */
export function placeAt(location: number): Place {
  return { reader: Math.floor((location - 1) / ANTENNAS), antenna: 1 + ((location - 1) % ANTENNAS) };
}

/** A database with the site and `history` scans of the 25 days before today, a stay every twenty scans. */
export interface BenchSite {
  url: string;
  history: number;
  assets: number;
  drop(): Promise<void>;
}

export async function createSite(serverUrl: string, history: number, assets = ASSETS): Promise<BenchSite> {
  const name = `bench_ingest_${history}_${process.pid}`;
  const url = withDatabase(serverUrl, name);
  await createDatabase(url);
  await migrate(url);
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `insert into organizations (name) values ('Bench') returning id`,
    );
    const orgId = rows[0]?.id;
    await client.query(LOCATIONS, [orgId, READERS * ANTENNAS]);
    await client.query(READERS_OF_SITE, [orgId, READERS]);
    await client.query(ANTENNAS_OF_SITE, [orgId, ANTENNAS]);
    await client.query(ASSETS_OF_SITE, [orgId, assets]);
    await client.query(TAGS, [orgId]);
    if (history > 0) {
      await client.query(SCANS, [orgId, assets, Math.round(history / assets), READERS, ANTENNAS]);
      await client.query(TRANSITIONS, [orgId]);
      await client.query(POSITIONS, [orgId]);
    }
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
  return { url, history, assets, drop: () => dropDatabase(serverUrl, name) };
}

/** A copy of the site on the same server, to be measured beside it. */
export async function copySite(serverUrl: string, site: BenchSite, suffix = 'copy'): Promise<BenchSite> {
  const original = decodeURIComponent(new URL(site.url).pathname.slice(1));
  const name = `${original}_${suffix}`;
  await onServer(withDatabase(serverUrl, 'postgres'), (client) => copyDatabase(client, original, name));
  return {
    url: withDatabase(serverUrl, name),
    history: site.history,
    assets: site.assets,
    drop: () => dropDatabase(serverUrl, name),
  };
}

/** A background worker of the extension may hold the original for a moment; then it is tried again. */
async function copyDatabase(client: pg.Client, original: string, name: string): Promise<void> {
  const OBJECT_IN_USE = '55006';
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [original],
      );
      const [from, to] = [original, name].map((each) => client.escapeIdentifier(each));
      await client.query(`create database ${to} template ${from} strategy file_copy`);
      return;
    } catch (error) {
      if (attempt === 20 || !(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) {
        throw error;
      }
    }
  }
}

export async function onServer<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(connectionConfig(url, 'tagtrail bench'));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The location of each asset, by its number. */
export async function placesOf(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ location: number }>(
    'select location_id as location from positions order by asset_id',
  );
  return rows.map(({ location }) => location);
}

function dropDatabase(serverUrl: string, name: string): Promise<void> {
  return onServer(withDatabase(serverUrl, 'postgres'), async (client) => {
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
  });
}

const LOCATIONS = `insert into locations (org_id, external_key, name)
  select $1, 'LOC-' || lpad(n::text, 4, '0'), 'Location ' || n from generate_series(1, $2::integer) n`;

const READERS_OF_SITE = `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
  select $1, name, name, 'tagtrail', name, sha256(convert_to(name, 'UTF8'))
  from generate_series(1, $2::integer) n cross join lateral (select 'portal-' || lpad(n::text, 2, '0') as name) named
  order by n`;

const ANTENNAS_OF_SITE = `insert into antennas (org_id, reader_id, port, location_id)
  select $1, readers.id, port, (readers.id - 1) * $2::integer + port
  from readers cross join generate_series(1, $2::integer) port where org_id = $1`;

const ASSETS_OF_SITE = `insert into assets (org_id, external_key, name)
  select $1, 'ASSET-' || lpad(n::text, 7, '0'), 'Pallet ' || n from generate_series(1, $2::integer) n`;

const TAGS = `insert into tags (org_id, tag_type, value, tag_key, asset_id)
  select $1, 'rfid', value, value, id from assets
  cross join lateral (select 'E280' || lpad(id::text, 20, '0') as value) tag where org_id = $1`;

/** In order of time, as they would have come. */
const SCANS = `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received,
    tag_type, tag_value, rssi, reader_id, antenna)
  select $1, asset, (reader - 1) * $5::integer + antenna, at, at, false, 'rfid', 'E280' || lpad(asset::text, 20, '0'),
    -54, reader, antenna
  from generate_series(1, $3::integer) scan
  cross join generate_series(1, $2::integer) asset
  cross join lateral (select 1 + (asset + scan / 20) % $4::integer as reader, 1 + (asset + scan / 20) % $5::integer
    as antenna) placed
  cross join lateral (select date_trunc('day', now()) - interval '25 days' + scan * (interval '25 days' / $3::integer)
    - asset * interval '1 microsecond' as at) scanned`;

const TRANSITIONS = `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
  select org_id, asset_id, observed_at, location_id,
    extract(epoch from observed_at - lag(observed_at) over (partition by asset_id order by observed_at))::bigint
  from (
    select *, lag(location_id) over (partition by asset_id order by observed_at) as previous
    from scan_events where org_id = $1
  ) scan where location_id is distinct from previous`;

/** Of assets that are in the feed, but for what came before. */
const POSITIONS = `insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed)
  select $1, asset.id, last.location_id, last.observed_at, seen.observed_at, true
  from assets asset
  cross join lateral (select location_id, observed_at from location_transitions
    where org_id = $1 and asset_id = asset.id order by observed_at desc limit 1) last
  cross join lateral (select observed_at from scan_events
    where org_id = $1 and asset_id = asset.id order by observed_at desc limit 1) seen
  where asset.org_id = $1`;
