import { sql } from 'slonik';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/advisory-locks.ts';
import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { toDatabase } from '../../shared/http/timestamps.ts';
import type { AssetColumns } from '../assets/queries.ts';
import type { AssetRow } from '../assets/view.ts';
import { nextUpdate } from '../sql.ts';
import { liveTags } from '../tags/queries.ts';
import type { NewTag } from '../tags/schema.ts';
import type { ImportedAsset } from './imported-asset.ts';

/** What a file can say of an asset, as it is stored. */
export type StoredAsset = Pick<AssetRow, 'id' | 'external_key' | 'tags' | keyof AssetColumns>;

const COLUMNS = sql.fragment`asset.id, asset.external_key, asset.name, asset.description, asset.is_active,
  asset.valid_from, asset.valid_to, asset.metadata`;

const STORED = sql.fragment`${COLUMNS}, ${liveTags('asset', 'asset')}`;

/** {@link liveTags}; that they come in an order leaves the planner one index to find them by. */
const TAGS = sql.fragment`coalesce((
    select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id)
    from (
      select id, tag_type, value from tags
      where org_id = asset.org_id and asset_id between asset.id and asset.id and detached_at is null
      order by asset_id
    ) tag
  ), '[]') as tags`;

/**
 * One import of an organization at a time, until the transaction ends. False if there is another.
 *
 * Its statements find rows by the index that leads to them most directly (`shared/tracking/index-plans.ts`): of an
 * organization that came after the last statistics, PostgreSQL expects a row at the most, and reads all there are.
 * Updating 50,000 assets of such a one took 107 s.
 */
export async function lockImports(transaction: OrganizationConnection): Promise<boolean> {
  const { is_locked } = await transaction.one(sql.type(rowsOf<{ is_locked: boolean }>())`
    select pg_try_advisory_xact_lock(${ORGANIZATION_LOCKS.imports}, ${transaction.orgId}) as is_locked,
      set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
      set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true), set_config('enable_sort', 'off', true)`);
  return is_locked;
}

/**
 * The live assets that have these keys, locked against other changes; scans of them are not held up. That a row is the
 * first in an order leaves the planner one index to find it by.
 */
export async function lockAssets(
  transaction: OrganizationConnection,
  externalKeys: readonly string[],
): Promise<readonly StoredAsset[]> {
  const { orgId } = transaction;
  const found = await transaction.any(sql.type(rowsOf<{ id: number }>())`
    select stored.id
    from unnest(${sql.array(externalKeys, 'text')}) as given (external_key)
    cross join lateral (
      select id, external_key from assets
      where org_id = ${orgId} and external_key >= given.external_key and deleted_at is null
      order by external_key
      limit 1
    ) stored
    where stored.external_key = given.external_key
    order by stored.id`);
  if (found.length === 0) {
    return [];
  }
  const ids = sql.array(
    found.map(({ id }) => id),
    'int4',
  );
  await transaction.query(sql.type(rowsOf<never>())`
    select from unnest(${ids}) as given (id)
    cross join lateral (
      select from assets where org_id = ${orgId} and id >= given.id order by id limit 1 for no key update
    ) stored`);
  // As they are now that nobody else changes them; one that was renamed meanwhile has another key.
  return transaction.any(sql.type(rowsOf<StoredAsset>())`
    select stored.*
    from unnest(${ids}) as given (id)
    cross join lateral (
      select ${COLUMNS}, ${TAGS}, asset.deleted_at from assets asset
      where asset.org_id = ${orgId} and asset.id >= given.id order by asset.id limit 1
    ) stored
    where stored.deleted_at is null`);
}

/** The live assets after a key, in order of their keys; keys never sort before `''`. */
export function listStoredAssets(
  connection: OrganizationConnection,
  afterKey: string,
  limit: number,
): Promise<readonly StoredAsset[]> {
  return connection.any(sql.prepared('list-stored-assets', rowsOf<StoredAsset>())`
    select ${STORED} from assets asset
    where asset.org_id = ${connection.orgId} and asset.external_key > ${afterKey} and asset.deleted_at is null
    order by asset.external_key
    limit ${limit}`);
}

export type NewImportedAsset = Omit<ImportedAsset, 'name'> & { external_key: string; name: string };

/**
 * Inserts assets, under placeholders for their ids; those whose key a live asset has are left out of the answer.
 */
export function insertAssets(
  transaction: OrganizationConnection,
  assets: readonly NewImportedAsset[],
): Promise<readonly { id: number; external_key: string }[]> {
  const texts = (of: (asset: NewImportedAsset) => string | null) => sql.array(assets.map(of), 'text');
  return transaction.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    insert into assets (org_id, id, external_key, name, description, is_active, valid_from, valid_to, metadata)
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.external_key, given.name, given.description, given.is_active,
      coalesce(given.valid_from::timestamptz, now()), given.valid_to::timestamptz, given.metadata::json
    from unnest(
      ${texts((asset) => asset.external_key)},
      ${texts((asset) => asset.name)},
      ${texts((asset) => asset.description ?? null)},
      ${sql.array(
        assets.map(({ is_active }) => is_active ?? true),
        'bool',
      )},
      ${texts(({ valid_from }) => (valid_from === undefined ? null : toDatabase(valid_from)))},
      ${texts(({ valid_to }) => (valid_to === undefined ? null : toDatabase(valid_to)))},
      ${texts(({ metadata }) => metadata?.text ?? '{}')}
    ) with ordinality as given (external_key, name, description, is_active, valid_from, valid_to, metadata, place)
    order by given.place
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id, external_key`);
}

/**
 * Writes all columns of assets that this transaction has locked. Each is there, so that none is inserted: said so, it
 * is found by its id whatever statistics there are, which an update joined with a list is not.
 */
export async function updateAssets(
  transaction: OrganizationConnection,
  assets: readonly (AssetColumns & { id: number; external_key: string })[],
): Promise<void> {
  const texts = (of: (asset: AssetColumns & { external_key: string }) => string | null) =>
    sql.array(assets.map(of), 'text');
  await transaction.query(sql.type(rowsOf<never>())`
    insert into assets as stored
      (org_id, id, external_key, name, description, is_active, valid_from, valid_to, metadata)
    overriding system value
    select ${transaction.orgId}, given.id, given.external_key, given.name, given.description, given.is_active,
      given.valid_from::timestamptz, given.valid_to::timestamptz, given.metadata::json
    from unnest(
      ${sql.array(
        assets.map(({ id }) => id),
        'int4',
      )},
      ${texts(({ external_key }) => external_key)},
      ${texts(({ name }) => name)},
      ${texts(({ description }) => description)},
      ${sql.array(
        assets.map(({ is_active }) => is_active),
        'bool',
      )},
      ${texts(({ valid_from }) => valid_from)},
      ${texts(({ valid_to }) => valid_to)},
      ${texts(({ metadata }) => metadata)}
    ) as given (id, external_key, name, description, is_active, valid_from, valid_to, metadata)
    on conflict (org_id, id) do update set
      name = excluded.name, description = excluded.description, is_active = excluded.is_active,
      valid_from = excluded.valid_from, valid_to = excluded.valid_to,
      metadata = excluded.metadata, updated_at = ${nextUpdate(sql.fragment`stored.updated_at`)}`);
}

export interface AttachedTag {
  asset_id: number;
  tag_type: string;
  value: string;
}

/**
 * Draws the ids of all that was inserted under placeholders; nothing may be refused after that.
 *
 * Statistics know of no placeholders, so the planner would expect one and go through all assets for each tag.
 */
export async function drawIds(transaction: OrganizationConnection): Promise<void> {
  const { orgId } = transaction;
  await transaction.query(sql.type(rowsOf<never>())`select set_config('enable_nestloop', 'off', true)`);
  // References are checked at the end of the statement.
  await transaction.query(sql.type(rowsOf<never>())`
    with placeholder as (
      select id, external_key from assets where org_id = ${orgId} and id < 0
    ), numbered as (
      update assets set id = default where org_id = ${orgId} and id < 0
      returning id, external_key
    )
    update tags set id = default, asset_id = numbered.id
    from placeholder join numbered on numbered.external_key = placeholder.external_key
    where tags.org_id = ${orgId} and tags.id < 0 and tags.asset_id = placeholder.id`);
  await transaction.query(sql.type(rowsOf<never>())`
    update tags set id = default where org_id = ${orgId} and id < 0`);
}

/** Attaches tags to assets of this transaction; those that are live in the organization are left out of the answer. */
export function attachToAssets(
  transaction: OrganizationConnection,
  tags: readonly { assetId: number; tag: NewTag }[],
): Promise<readonly AttachedTag[]> {
  const texts = (of: (tag: NewTag) => string) =>
    sql.array(
      tags.map(({ tag }) => of(tag)),
      'text',
    );
  return transaction.any(sql.type(rowsOf<AttachedTag>())`
    insert into tags (org_id, id, asset_id, tag_type, value, tag_key)
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.asset_id, given.tag_type, given.value, given.tag_key
    from unnest(
      ${sql.array(
        tags.map(({ assetId }) => assetId),
        'int4',
      )},
      ${texts(({ tagType }) => tagType)},
      ${texts(({ value }) => value)},
      ${texts(({ tagKey }) => tagKey)}
    ) with ordinality as given (asset_id, tag_type, value, tag_key, place)
    order by given.place
    on conflict (org_id, tag_type, value) where detached_at is null do nothing
    returning asset_id, tag_type, value`);
}
