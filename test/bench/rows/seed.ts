import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { TEST_ACTOR } from '../../support/actor.ts';

/** A database with one organization, filled. */
export interface Filled {
  url: string;
  orgId: number;
  /** Enough keys that none of them runs into its limit. */
  keys: string[];
  assets: number;
  drop(): Promise<void>;
}

export interface Size {
  assets: number;
  scans: number;
  locations?: number;
  /** A statement that changes the rows after that. */
  changed?: string;
}

const KEYS = 40;

/**
 * Makes a database of a size. Every asset has a tag, and `scans / assets` scans a minute apart, each at another
 * location than the one before: as many transitions as there can be. Rows are made by the statements below and not
 * recorded one by one; they are what the recorder would have made of those scans.
 */
export async function fill(serverUrl: string, { locations = 200, changed, ...size }: Size): Promise<Filled> {
  const name = `bench_${size.assets}_${size.scans}_${process.pid}`;
  const url = withDatabase(serverUrl, name);
  await createDatabase(url);
  await migrate(url);
  const client = new pg.Client(connectionConfig(url));
  await client.connect();
  const { rows } = await client.query<{ id: number }>(
    `insert into organizations (name) values ('Bench') returning id`,
  );
  const orgId = rows[0]?.id ?? 0;
  await client.query(LOCATIONS, [orgId, locations]);
  await client.query(ASSETS, [orgId, size.assets]);
  await client.query(TAGS, [orgId]);
  if (size.scans > 0) {
    await client.query(SCANS, [orgId, size.assets, Math.round(size.scans / size.assets), locations]);
    await client.query(TRANSITIONS, [orgId]);
    await client.query(POSITIONS, [orgId]);
  }
  if (changed !== undefined) {
    await client.query(changed);
  }
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  return {
    url,
    orgId,
    keys: await issueKeys(url, orgId),
    assets: size.assets,
    drop: () => drop(serverUrl, name),
  };
}

export const LOCATIONS = `insert into locations (org_id, external_key, name)
  select $1, 'LOC-' || lpad(n::text, greatest(4, length(n::text)), '0'), 'Location ' || n from generate_series(1, $2::integer) n`;

export const ASSETS = `insert into assets (org_id, external_key, name, description, metadata, valid_from)
  select $1, 'ASSET-' || lpad(n::text, 7, '0'), 'Pallet ' || n, 'Wooden, 800 by 1200', '{"weight":25.50}', '2026-01-01'
  from generate_series(1, $2::integer) n`;

export const TAGS = `insert into tags (org_id, tag_type, value, tag_key, asset_id)
  select $1, 'rfid', value, value, id from assets
  cross join lateral (select 'E280' || lpad(id::text, 20, '0') as value) tag where org_id = $1`;

const SCANS = `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received,
    tag_type, tag_value, rssi, reader_id, antenna)
  select $1, asset, 1 + (asset * 7 + scan) % $4::integer, at, at, false, 'rfid', 'E280' || lpad(asset::text, 20, '0'), -54, 1, 1
  from generate_series(1, $3::integer) scan
  cross join generate_series(1, $2::integer) asset
  cross join lateral (select timestamptz '2026-01-01' + scan * interval '1 minute' + asset * interval '1 millisecond' as at) scanned`;

const TRANSITIONS = `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
  select org_id, asset_id, observed_at, location_id,
    extract(epoch from observed_at - lag(observed_at) over (partition by asset_id order by observed_at))::bigint
  from scan_events where org_id = $1`;

const POSITIONS = `insert into positions (org_id, asset_id, location_id, since, last_seen)
  select distinct on (asset_id) org_id, asset_id, location_id, observed_at, observed_at
  from location_transitions where org_id = $1 order by asset_id, observed_at desc`;

async function issueKeys(url: string, orgId: number): Promise<string[]> {
  const pool = createWritePool(url, { max: 1 });
  const keys: string[] = [];
  for (let issued = 0; issued < KEYS; issued++) {
    const { key } = await createApiKey(databaseOn(pool), TEST_ACTOR, {
      orgId,
      name: 'bench',
      scopes: PUBLIC_SCOPES,
      expiresAt: null,
    });
    keys.push(key);
  }
  await pool.end();
  return keys;
}

async function drop(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client(connectionConfig(withDatabase(serverUrl, 'postgres')));
  await client.connect();
  await client.query(`drop database ${client.escapeIdentifier(name)} with (force)`);
  await client.end();
}
