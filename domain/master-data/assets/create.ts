import type { GroupedWrite } from '../../../db/timescale/connections/grouped-writes.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { integers, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, intoChanges, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { keyTaken, liveByKey } from '../by-id-or-key.ts';
import { ASSET_COLUMNS } from '../columns.ts';
import { insertWithMintedKey } from '../external-keys/mint.ts';
import { creationOf, loggedRow } from '../logged/entries.ts';
import type { AssetRow } from '../rows.ts';
import { arraysOfNew, jsonLength, named, ofGiven, selected, stored } from '../stored-columns.ts';
import { attachAll, claiming, refuseTaken, tagTaken } from '../tags/attach.ts';
import { joinedTags, type TagArrays, tagColumns } from '../tags/new-tag.ts';
import { liveTag, loggedTags, tagArrays } from '../tags/queries.ts';
import { findLiveAsset, insertAsset, type NewAsset } from './queries.ts';

/**
 * Creates an asset with its tags, or nothing.
 *
 * @throws AppError `conflict` if the external key or one of the tags is taken.
 */
export function createAsset(db: OrganizationDatabase, actor: Actor, asset: NewAsset): Promise<AssetRow> {
  const { external_key: key, tags } = asset;
  if (key !== undefined && !tags?.repeated) {
    return db.grouped(INSERT_ASSETS, { ...asset, external_key: key, actor });
  }
  return makeChange(db, actor, async (change) => {
    // Always, if a tag is named twice.
    await refuseTaken(change, 'asset', key, tags);
    const inserted = await insertMinted(change, asset);
    if (tags === undefined || tags.count === 0) {
      return changed(inserted, [creationOf(change.orgId, 'asset', inserted)]);
    }
    await attachAll(change, 'asset', inserted.id, tags);
    const created = await findLiveAsset(change, inserted.id);
    if (created === null) {
      throw new Error(`asset ${inserted.id} is missing in the transaction that made it`);
    }
    return changed(created, [creationOf(change.orgId, 'asset', created)]);
  });
}

function insertMinted(change: OrganizationChange, asset: NewAsset): Promise<AssetRow> {
  return insertWithMintedKey(change, 'asset', (minted) => insertAsset(change, minted, asset));
}

type KeyedAsset = NewAsset & { external_key: string; actor: Actor };

type InsertedAsset = (AssetRow | { id: null }) & { taken_type: string | null; taken_value: string | null };

/** Characters of JSON up to which an asset joins a group. */
const SHORT = 8_192;

/** Creates assets whose names are free, each with its tags; a refused one draws no ids. */
const INSERT_ASSETS: GroupedWrite<KeyedAsset, InsertedAsset, AssetRow> = {
  namesOf: ({ external_key: key, tags = NO_TAGS, ...asset }) =>
    tags.names === null || jsonLength(ASSET_COLUMNS, asset) > SHORT ? null : [keyName(key), ...tags.names],
  first: (orgId, assets) =>
    claiming(
      orgId,
      assets.map(({ external_key: key }) => keyName(key)),
      tagsOf(assets),
    ),
  query: insertingAssets,
  outcomeOf: (row, { external_key: key }) => {
    if (row.id !== null) {
      return row;
    }
    const { taken_type: tagType, taken_value: value } = row;
    throw tagType === null || value === null ? keyTaken('asset', key) : tagTaken({ tagType, value });
  },
};

const NO_TAGS = tagColumns([]);

/** Creates with a common name do not join one group. */
function keyName(key: string): string {
  return `asset:${key}`;
}

function tagsOf(assets: readonly KeyedAsset[]): TagArrays {
  return joinedTags(assets.flatMap(({ tags }) => (tags === undefined ? [] : [tags])));
}

/**
 * One statement, since all that callers wait for is its result. Concurrent commits that bypass the claims, as imports
 * do, conflict on the key, or fail on a tag, upon which everything is retried.
 */
function insertingAssets(orgId: number, assets: readonly KeyedAsset[]): RowQuery<InsertedAsset> {
  const owners = assets.flatMap(({ tags }, index) => Array<number>(tags?.count ?? 0).fill(index + 1));
  const keys = sql.binary(texts(assets.map(({ external_key: key }) => key)));
  return sql.prepared('insert-assets', rowsOf<InsertedAsset>())`
    with given as materialized (
      select * from unnest(${keys}::text[], ${authors(assets)}, ${arraysOfNew(ASSET_COLUMNS, assets)}) with ordinality
        as given (external_key, actor_type, actor_id, request_id, ${NAMES}, ordinal)
    ), tag as materialized (
      select * from unnest(${sql.binary(integers(owners))}::integer[], ${tagArrays(tagsOf(assets))}) with ordinality
        as tag (owner, tag_type, value, tag_key, normal_key, ordinal)
    ), keyed as materialized (
      select given.ordinal
      from given cross join lateral (${liveByKey('asset', orgId, sql.fragment`given.external_key`)}) live
    ), taken as materialized (
      select distinct on (tag.owner) tag.owner, live.tag_type, live.value
      from tag cross join lateral (${liveTag(orgId)}) live
      where tag.owner not in (select ordinal from keyed)
      order by tag.owner, tag.ordinal
    ), made as (
      insert into assets (org_id, external_key, ${NAMES})
      select ${orgId}, given.external_key, ${STORED} from given
      where given.ordinal not in (select ordinal from keyed) and given.ordinal not in (select owner from taken)
      order by given.ordinal
      on conflict (org_id, external_key) where deleted_at is null do nothing
      returning *
    ), attached as (
      insert into tags (org_id, asset_id, tag_type, value, tag_key, normal_key)
      select ${orgId}, made.id, tag.tag_type, tag.value, tag.tag_key, nullif(tag.normal_key, '')
      from made join given using (external_key) join tag on tag.owner = given.ordinal
      order by tag.ordinal
      returning id, asset_id, tag_type, value
    ), listed as (
      select asset_id,
        json_agg(json_build_object('id', id, 'tag_type', tag_type, 'value', value) order by id) as tags,
        ${ATTACHED} as logged
      from attached group by asset_id
    ), changed as (
      ${intoChanges(sql.fragment`
        select ${orgId}, given.actor_type, given.actor_id, given.request_id, 'create', 'asset', made.id::text,
          made.external_key, null, ${LOGGED}
        from made join given using (external_key) left join listed on listed.asset_id = made.id
        order by given.ordinal`)}
    )
    select made.id, made.external_key, ${MADE}, null::integer as location_id, null as location_external_key, null as position,
      made.created_at, made.updated_at, made.deleted_at, coalesce(listed.tags, '[]') as tags,
      taken.tag_type as taken_type, taken.value as taken_value
    from given
    left join made using (external_key)
    left join listed on listed.asset_id = made.id
    left join taken on taken.owner = given.ordinal
    order by given.ordinal`;
}

/** The rows of a group may have come from several requests. */
function authors(assets: readonly KeyedAsset[]): FragmentSqlToken {
  const column = (of: (actor: Actor) => string | null) =>
    sql.fragment`${sql.binary(texts(assets.map(({ actor }) => of(actor))))}::text[]`;
  return sql.fragment`${column(({ type }) => type)}, ${column(({ id }) => id)}, ${column(({ requestId }) => requestId)}`;
}

const ATTACHED = loggedTags(sql.fragment`attached`);
const LOGGED = loggedRow(ASSET_COLUMNS, 'made', sql.fragment`'tags', coalesce(listed.logged, '[]')`);
const NAMES = named(ASSET_COLUMNS);
const STORED = stored(ASSET_COLUMNS, ofGiven);
const MADE = selected(ASSET_COLUMNS, 'made');
