import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { integers, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { storedKeys, tagKey } from '../../tracking/tag-key.ts';
import type { TagType } from '../../tracking/tag-type.ts';

/** Tags of a transaction: few enough that nobody waits for them. */
const BATCH = 2_000;

/** Where to begin with an organization's tags: after those known to have keys. */
export async function beginRenewing(pool: Pool, orgId: number): Promise<number> {
  const after = await progress(pool, orgId);
  if (after === null) {
    await renewUnknown(pool, orgId);
  }
  return after ?? FIRST;
}

/**
 * Adds the normal keys of an organization's next tags by id, which another version attached. Tags of the last hour
 * are checked again later: a transaction of such a version may still add some.
 *
 * @returns the id of the last one, null if there are no more; `isBusy` if somebody is changing some: these are to be
 * tried again.
 */
export async function renewNext(
  pool: Pool,
  orgId: number,
  after: number,
  batch = BATCH,
): Promise<{ last: number | null; isBusy: boolean }> {
  const tags = await nextTags(pool, orgId, after, batch);
  const stale = tags.flatMap(({ id, tag_type, value, normal_key }) => {
    const { normal } = storedKeys(tag_type, value);
    return normal === null || normal === normal_key ? [] : [{ id, normal }];
  });
  const settled = tags.findLast(({ is_settled }) => is_settled)?.id;
  return inTransaction(pool, async (client) => {
    const written = await write(client, orgId, stale);
    await noteCollisions(client, orgId, [...new Set(stale.map(({ normal }) => normal))]);
    if (written < stale.length) {
      return { last: after, isBusy: true };
    }
    if (settled !== undefined) {
      await keepProgress(client, orgId, settled);
    }
    return { last: tags.length < batch ? null : (tags.at(-1)?.id ?? null), isBusy: false };
  });
}

/** Organizations may have ids of placeholders while they are imported, below zero. */
const FIRST = -2_147_483_648;

interface StoredTag {
  id: number;
  tag_type: TagType;
  value: string;
  normal_key: string | null;
  is_settled: boolean;
}

/** The next organization with unchecked tags: after `last`, or the first. Null if there is none. */
export async function nextToRenew(db: Connection, last: number): Promise<number | null> {
  const row = await db.maybeOne(sql.prepared('next-to-renew', rowsOf<{ id: number }>())`
    select organization.id from organizations organization
    left join normal_key_progress progress on progress.org_id = organization.id
    where organization.id > ${last} and exists (
      select from tags where org_id = organization.id and id > coalesce(progress.tag_id, ${FIRST}))
    order by organization.id limit 1`);
  return row?.id ?? null;
}

async function progress(db: Connection, orgId: number): Promise<number | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ tag_id: number }>())`
    select tag_id from normal_key_progress where org_id = ${orgId}`);
  return row?.tag_id ?? null;
}

async function keepProgress(db: Connection, orgId: number, tagId: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into normal_key_progress (org_id, tag_id) values (${orgId}, ${tagId})
    on conflict (org_id) do update set tag_id = greatest(normal_key_progress.tag_id, excluded.tag_id)`);
}

function nextTags(
  db: Connection,
  orgId: number,
  after: number,
  batch: number,
): Promise<readonly StoredTag[]> {
  return db.any(sql.prepared('next-tags-to-renew', rowsOf<StoredTag>())`
    select id, tag_type, value, normal_key, attached_at < now() - interval '1 hour' as is_settled
    from tags where org_id = ${orgId} and id > ${after} order by id limit ${batch}`);
}

interface Renewed {
  id: number;
  normal: string;
}

/** Leaves out tags that somebody else has locked, so that neither waits for the other. @returns how many it wrote. */
function write(db: Connection, orgId: number, stale: readonly Renewed[]): Promise<number> {
  if (stale.length === 0) {
    return Promise.resolve(0);
  }
  return db.exec(sql.prepared('renew-tag-keys', NO_ROWS)`
    with renewed as materialized (
      select tag.id, given.normal_key
      from unnest(
        ${sql.binary(integers(stale.map(({ id }) => id)))}::integer[],
        ${sql.binary(texts(stale.map(({ normal }) => normal)))}::text[]) given (id, normal_key)
      join tags tag on tag.org_id = ${orgId} and tag.id = given.id
      for no key update of tag skip locked
    )
    update tags set normal_key = renewed.normal_key from renewed
    where tags.org_id = ${orgId} and tags.id = renewed.id`);
}

async function noteCollisions(db: Connection, orgId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) {
    return;
  }
  await db.exec(sql.prepared('note-collisions', NO_ROWS)`
    insert into normal_key_collisions (org_id, normal_key)
    select ${orgId}, given.normal_key from unnest(${sql.binary(texts(keys))}::text[]) given (normal_key)
    where (
      select count(distinct (tag.asset_id, tag.location_id)) from (
        select asset_id, location_id from tags
        where org_id = ${orgId} and tags.normal_key = given.normal_key and detached_at is null
        union all
        select asset_id, location_id from tags
        where org_id = ${orgId} and tag_type = 'barcode' and tag_key = given.normal_key and tags.normal_key is null
          and detached_at is null
      ) tag
    ) > 1
    on conflict (org_id, normal_key) do nothing`);
}

interface UnknownTag {
  tag_type: TagType;
  tag_key: string;
  value: string;
}

/** Unknown tags are listed by key; rows that turn out to have one key are added up. */
async function renewUnknown(pool: Pool, orgId: number): Promise<void> {
  const listed = await pool.any(sql.type(rowsOf<UnknownTag>())`
    select tag_type, tag_key, value from unknown_tags where org_id = ${orgId} order by last_seen desc`);
  const stale = listed.flatMap((tag) => {
    const key = tagKey(tag.tag_type, tag.value) || tag.value;
    return key === tag.tag_key ? [] : [{ ...tag, key }];
  });
  for (let at = 0; at < stale.length; at += BATCH) {
    const part = stale.slice(at, at + BATCH);
    await inTransaction(pool, async (client) => {
      for (const { tag_type: tagType, tag_key: before, key } of part) {
        await client.exec(sql.prepared('renew-unknown-tag', NO_ROWS)`
          with gone as (
            delete from unknown_tags where org_id = ${orgId} and tag_type = ${tagType} and tag_key = ${before} returning *
          )
          insert into unknown_tags as stored (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen,
            reader_id, antenna, rssi, location_id, ignored_at)
          select org_id, tag_type, ${key}, value, ambiguous, count, first_seen, last_seen, reader_id, antenna, rssi,
            location_id, ignored_at from gone
          on conflict (org_id, tag_type, tag_key) do update set
            count = stored.count + excluded.count,
            first_seen = least(stored.first_seen, excluded.first_seen),
            last_seen = greatest(stored.last_seen, excluded.last_seen)`);
      }
    });
  }
}
