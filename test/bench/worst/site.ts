import type { Pool } from '../../../db/timescale/connections/client.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { storeFormat } from '../../../domain/administration/formats/store-format.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { createOrganization } from '../../../domain/administration/organizations/organizations.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { createWebhook } from '../../../domain/webhooks/create-webhook.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { SETTINGS } from '../../support/webhooks.ts';
import { letSomebodyIn } from '../console/site.ts';
import { ASSETS, type Filled, fill, LOCATIONS, TAGS } from '../rows/seed.ts';
import type { Login } from './attack.ts';
import type { Other } from './victim.ts';

/** Metadata of a mebibyte, of what takes longest. */
export const NUMBERS = `{"a":[${'1,'.repeat(500_000)}1]}`;

const LARGE = 60;
const OTHER_ASSETS = 200;
/** Each is asked once a second: within its limit. */
const VICTIM_KEYS = 300;

/** Ids of what takes most in the organization of the attacker. */
interface Ids {
  /** With metadata of a mebibyte; the first has 10,000 tags and 100,000 stays as well, nine more such tags. */
  assets: number[];
  /** From the root to the last of 15,000, each within the one before. */
  chain: number[];
  /** Locations where nothing is. */
  leaves: number[];
  assetTags: number[];
  locationTags: number[];
}

/** What the attacker needs to know of an organization of its own. */
export interface Organization {
  orgId: number;
  firstAsset: number;
}

/** An organization of many assets whose keys, readers and handhelds attack, and another one that looks up and publishes. */
export class Site {
  readonly databaseUrl: string;
  readonly ids: Ids;
  readonly pool: Pool;
  readonly orgId: number;
  readonly #queries: Pool;
  #other: { orgId: number; assetId: number; keys: readonly string[] } = { orgId: 0, assetId: 0, keys: [] };
  #made = 0;

  static async make(serverUrl: string, assets: number): Promise<Site> {
    const filled = await fill(serverUrl, { assets, scans: assets });
    const pool = createWritePool(filled.url, { max: 2 });
    const queries = createWritePool(filled.url, { max: 1 });
    const ids = await addLarge(pool, filled.orgId);
    const site = new Site(filled, pool, queries, ids);
    const { orgId, firstAsset: assetId } = await site.organization('other', OTHER_ASSETS);
    const keys: string[] = [];
    while (keys.length < VICTIM_KEYS) {
      keys.push(await keyOf(queries, orgId));
    }
    site.#other = { orgId, assetId, keys };
    return site;
  }

  private constructor({ url, orgId }: Filled, pool: Pool, queries: Pool, ids: Ids) {
    this.databaseUrl = url;
    this.orgId = orgId;
    this.pool = pool;
    this.#queries = queries;
    this.ids = ids;
  }

  /** Who suffers. */
  async other(apiUrl: string, mqttUrl: string): Promise<Other> {
    const { orgId, assetId, keys } = this.#other;
    const reader = await this.reader(mqttUrl, 'tagtrail', orgId);
    const values = Array.from({ length: OTHER_ASSETS }, (_, at) => tagOf(assetId + at));
    return { url: `${apiUrl}/api/v1/assets/${assetId}`, keys, reader, values };
  }

  /** The other organization is alerted whenever an asset comes to its reader's second antenna. */
  async alertOther(): Promise<void> {
    const rule = { orgId: this.#other.orgId, kind: 'not_allowed' as const, locationExternalKey: 'LOC-0002' };
    await createRule(databaseOn(this.pool), TEST_ACTOR, Date.now() * 1_000, rule);
  }

  /** Seconds after which the other organization's alerts were stored, of what happened meanwhile. */
  async alertDelays(since: Date, until: Date): Promise<number[]> {
    const { rows } = await this.pool.query<{ delay: number }>(
      `select extract(epoch from recorded_at - opened_at)::float8 as delay from alerts
       where org_id = $1 and opened_at between $2 and $3 order by delay`,
      [this.#other.orgId, since, until],
    );
    return rows.map(({ delay }) => delay);
  }

  /** A key that has not been used. */
  key(orgId = this.orgId): Promise<string> {
    return keyOf(this.#queries, orgId);
  }

  /** One more organization, with 200 locations and so many assets, each of which has a tag. */
  async organization(name: string, assets: number): Promise<Organization> {
    const { id: orgId } = await createOrganization(databaseOn(this.#queries), TEST_ACTOR, name);
    await this.pool.query(LOCATIONS, [orgId, 200]);
    await this.pool.query(ASSETS, [orgId, assets]);
    await this.pool.query(TAGS, [orgId]);
    const ids = await this.pool.query<{ first: number }>(
      'select min(id) as first from assets where org_id = $1',
      [orgId],
    );
    return { orgId, firstAsset: ids.rows[0]?.first ?? 0 };
  }

  /** External keys of its assets. */
  async keysOf(orgId: number): Promise<string[]> {
    const { rows } = await this.pool.query<{ key: string }>(
      'select external_key as key from assets where org_id = $1 order by id',
      [orgId],
    );
    return rows.map(({ key }) => key);
  }

  /** Settings of all locations, made a minute after each other. */
  async locationSettings(orgId: number, count: number): Promise<void> {
    await this.pool.query(
      `insert into location_settings (org_id, location_id, valid_from, procedure, certainty)
       select $1, location.id, now() - (1 + $2::integer - made) * interval '1 minute', 'strength', 1 + made % 100 / 100.0
       from generate_series(1, $2::integer) made
       join (select id, row_number() over (order by id) as place from locations where org_id = $1) location
         on location.place = 1 + made % 200`,
      [orgId, count],
    );
  }

  /** Everything is at one location, where it was 60 days ago. */
  async still(orgId: number): Promise<void> {
    const { rows } = await this.pool.query<{ id: number }>(
      'select min(id) as id from locations where org_id = $1',
      [orgId],
    );
    const at = `now() - interval '60 days'`;
    await this.pool.query(
      `with moved as (
         insert into location_transitions (org_id, asset_id, observed_at, location_id)
         select org_id, id, ${at}, $2 from assets where org_id = $1
       )
       insert into positions (org_id, asset_id, location_id, since, last_seen)
       select org_id, id, $2, ${at}, ${at} from assets where org_id = $1`,
      [orgId, rows[0]?.id],
    );
    await this.pool.query('vacuum analyze assets, location_transitions, positions');
  }

  async handheld(): Promise<string> {
    const { token } = await createHandheld(databaseOn(this.pool), TEST_ACTOR, {
      orgId: this.orgId,
      name: `gun ${this.#made++}`,
    });
    return token;
  }

  /** Stores a format, named by its kind, that makes as much work as a format may. */
  async costlyFormat(name: string, format: Format): Promise<void> {
    const { definition, identities } = format;
    const named = { ...definition, name };
    const own = { owner: this.orgId };
    await storeFormat(
      databaseOn(this.pool),
      TEST_ACTOR,
      BUILTIN,
      { name, definition: named, identities },
      own,
    );
  }

  /** Its two antennas are at locations. */
  async reader(mqttUrl: string, format: string, orgId = this.orgId): Promise<Login & { readerId: number }> {
    const name = `worst-${this.#made++}`;
    const reader = { orgId, name, topic: `worst/${name}`, format, policies: {} };
    const { id, topic, mqttUsername, mqttPassword } = await createReader(
      databaseOn(this.pool),
      TEST_ACTOR,
      BUILTIN,
      reader,
    );
    for (const port of [1, 2]) {
      const antenna = { readerId: id, port, locationExternalKey: `LOC-000${port}` };
      await setAntenna(databaseOn(this.pool), TEST_ACTOR, antenna);
    }
    return { url: mqttUrl, username: mqttUsername, password: mqttPassword, topic, readerId: id };
  }

  /** The session of a new administrator. */
  session(orgId: number): Promise<string> {
    return letSomebodyIn({ url: this.databaseUrl, orgId }, 'admin');
  }

  /** An organization of as many readers and antennas as there may be, and some of these readers. */
  async readers(count: number, antennas: number): Promise<{ orgId: number; readerIds: number[] }> {
    const { orgId } = await this.organization('registered', 0);
    await this.pool.query(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select $1::integer, 'r' || at, 'org-' || $1 || '/' || at, 'tagtrail', 'many-' || at, sha256('')
       from generate_series(1, $2::integer) at`,
      [orgId, count],
    );
    // Without statistics the check of the reader's existence reads all of them, for each antenna.
    await this.pool.query('vacuum analyze readers');
    for (let port = 1; port <= antennas / count; port++) {
      await this.pool.query(
        'insert into antennas (org_id, reader_id, port) select org_id, id, $2 from readers where org_id = $1',
        [orgId, port],
      );
    }
    await this.pool.query('vacuum analyze antennas, antenna_versions');
    const ids = await idsOf(this.pool, 'select id from readers where org_id = $1', [orgId]);
    return { orgId, readerIds: ids.slice(0, 500) };
  }

  /**
   * An organization with webhooks that are off, and 100 events for each of them. The limit counts those that are not deleted,
   * and an organization may have more from before it was there.
   */
  async webhooks(count: number, url: string): Promise<void> {
    const { id: orgId } = await createOrganization(databaseOn(this.#queries), TEST_ACTOR, 'webhooks');
    await this.pool.query(MOVES, [orgId, 100]);
    for (let at = 0; at < count; at++) {
      const wanted = { orgId, url: `${url}/${at}`, after: 0 };
      const { webhook } = await createWebhook(databaseOn(this.pool), TEST_ACTOR, SETTINGS, wanted);
      await this.pool.query(`update webhooks set state = 'off', deleted_at = now() where id = $1`, [
        webhook.id,
      ]);
    }
    await this.pool.query('update webhooks set deleted_at = null where org_id = $1', [orgId]);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.#queries.end();
  }
}

/** That of an asset. */
export function tagOf(asset: number): string {
  return `E280${String(asset).padStart(20, '0')}`;
}

/** One of each of so many assets. */
const MOVES = `
  with head as (
    insert into move_heads (org_id, head, sealed_at, complete_since) values ($1, $2::integer, now(), now())
  ), days as (
    insert into move_days (org_id, day, first_position) values ($1, (now() at time zone 'UTC')::date, 1)
  ), place as (
    insert into locations (org_id, external_key, name) values ($1, 'L', 'l') returning id
  ), moved as (
    insert into assets (org_id, external_key, name)
    select $1, 'M-' || at, 'm' from generate_series(1, $2::integer) at returning id
  )
  insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since, last_seen)
  select $1, row_number() over (), now(), moved.id, 'moved', 1, 1, now(), place.id, now(), now() from moved cross join place`;

const BUILTIN = loadBuiltinFormats();

async function keyOf(queries: Pool, orgId: number): Promise<string> {
  const { key } = await createApiKey(databaseOn(queries), TEST_ACTOR, {
    orgId,
    name: 'key',
    scopes: PUBLIC_SCOPES,
    expiresAt: null,
  });
  return key;
}

async function idsOf(pool: Pool, text: string, values: unknown[]): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(text, values);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

async function addLarge(pool: Pool, orgId: number): Promise<Ids> {
  const assets = await idsOf(
    pool,
    `insert into assets (org_id, external_key, name, metadata)
     select $1, 'A-LARGE-' || place, 'a', $2::json from generate_series(1, $3::integer) place returning id`,
    [orgId, NUMBERS, LARGE],
  );
  const chain = await idsOf(
    pool,
    `insert into locations (org_id, external_key, name)
     select $1, 'CHAIN-' || place, 'l' from generate_series(1, 15000) place returning id`,
    [orgId],
  );
  await pool.query(`update locations set parent_id = id - 1 where org_id = $1 and id > $2 and id <= $3`, [
    orgId,
    chain[0],
    chain.at(-1),
  ]);
  const leaves = await idsOf(
    pool,
    `insert into locations (org_id, external_key, name)
     select $1, 'LEAF-' || place, 'l' from generate_series(1, 200) place returning id`,
    [orgId],
  );
  const tags = `insert into tags (org_id, asset_id, location_id, tag_type, value, tag_key)
    select $1, $2::integer, $3::integer, 'barcode', tag, tag
    from generate_series(1, 10000) place cross join lateral (select 'T-' || coalesce($2, $3) || '-' || place as tag) named
    returning id`;
  const assetTags = await idsOf(pool, tags, [orgId, assets[0], null]);
  const locationTags = await idsOf(pool, tags, [orgId, null, chain[0]]);
  for (const asset of assets.slice(1, 10)) {
    await pool.query(tags, [orgId, asset, null]);
  }
  await pool.query(
    `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
     select $1, $2, now() - place * interval '1 minute', $3, 60 from generate_series(1, 100000) place`,
    [orgId, assets[0], chain[0]],
  );
  await pool.query('vacuum analyze');
  return { assets, chain, leaves, assetTags, locationTags };
}
