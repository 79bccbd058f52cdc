import { sql } from 'slonik';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/advisory-locks.ts';
import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { toDatabase } from '../../shared/http/timestamps.ts';
import type { AssetColumns } from '../assets/queries.ts';
import type { AssetRow } from '../assets/view.ts';
import { NEXT_UPDATE } from '../sql.ts';
import { liveTags } from '../tags/queries.ts';
import type { NewTag } from '../tags/schema.ts';
import type { ImportedAsset } from './imported-asset.ts';

/** What a file can say of an asset, as it is stored. */
export type StoredAsset = Pick<AssetRow, 'id' | 'external_key' | 'tags' | keyof AssetColumns>;

const STORED = sql.fragment`asset.id, asset.external_key, asset.name, asset.description, asset.is_active,
  asset.valid_from, asset.valid_to, asset.metadata, ${liveTags('asset', 'asset')}`;

/** One import of an organization at a time, until the transaction ends. False if there is another. */
export async function lockImports(transaction: OrganizationConnection): Promise<boolean> {
  const { is_locked } = await transaction.one(sql.type(rowsOf<{ is_locked: boolean }>())`
    select pg_try_advisory_xact_lock(${ORGANIZATION_LOCKS.imports}, ${transaction.orgId}) as is_locked`);
  return is_locked;
}

/** The live assets that have these keys, locked against other changes; scans of them are not held up. */
export async function lockAssets(
  transaction: OrganizationConnection,
  externalKeys: readonly string[],
): Promise<readonly StoredAsset[]> {
  const { orgId } = transaction;
  const locked = await transaction.any(sql.type(rowsOf<{ id: number }>())`
    select id from assets
    where org_id = ${orgId} and external_key = any(${sql.array(externalKeys, 'text')}) and deleted_at is null
    order by id
    for no key update`);
  if (locked.length === 0) {
    return [];
  }
  // As they are now that nobody else changes them.
  return transaction.any(sql.type(rowsOf<StoredAsset>())`
    select ${STORED} from assets asset
    where asset.org_id = ${orgId} and asset.deleted_at is null
      and asset.id = any(${sql.array(
        locked.map(({ id }) => id),
        'int4',
      )})`);
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

/** Writes all columns of assets that this transaction has locked. */
export async function updateAssets(
  transaction: OrganizationConnection,
  assets: readonly (AssetColumns & { id: number })[],
): Promise<void> {
  const texts = (of: (asset: AssetColumns) => string | null) => sql.array(assets.map(of), 'text');
  await transaction.query(sql.type(rowsOf<never>())`
    update assets set
      name = given.name, description = given.description, is_active = given.is_active,
      valid_from = given.valid_from::timestamptz, valid_to = given.valid_to::timestamptz,
      metadata = given.metadata::json, updated_at = ${NEXT_UPDATE}
    from unnest(
      ${sql.array(
        assets.map(({ id }) => id),
        'int4',
      )},
      ${texts(({ name }) => name)},
      ${texts(({ description }) => description)},
      ${sql.array(
        assets.map(({ is_active }) => is_active),
        'bool',
      )},
      ${texts(({ valid_from }) => valid_from)},
      ${texts(({ valid_to }) => valid_to)},
      ${texts(({ metadata }) => metadata)}
    ) as given (id, name, description, is_active, valid_from, valid_to, metadata)
    where assets.org_id = ${transaction.orgId} and assets.id = given.id`);
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
