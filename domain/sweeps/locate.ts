import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { tagKey } from '../tracking/tag-key.ts';
import type { TagType } from '../tracking/tag-type.ts';

type Named = { id: number } | { externalKey: string } | { tag: { tagType: TagType; value: string } };

/**
 * The id of a swept location; null if there never was one. It may have been deleted while the device was offline: a
 * live one counts before a deleted one, of deleted ones the latest. Of tags with the same key the exact value counts
 * first.
 */
export async function locate(db: Connection, orgId: number, named: Named): Promise<number | null> {
  const row = await db.maybeOne(queryFor(orgId, named));
  return row?.id ?? null;
}

function queryFor(orgId: number, named: Named) {
  if ('id' in named) {
    return sql.prepared('locate-by-id', rowsOf<{ id: number }>())`
      select id from locations where org_id = ${orgId}::integer and id = ${named.id}::integer`;
  }
  if ('externalKey' in named) {
    const { externalKey } = named;
    // Two selects, each with an index of its own.
    return sql.prepared('locate-by-key', rowsOf<{ id: number }>())`
      select id from (
        (select id, 'infinity'::timestamptz as until from locations
          where org_id = ${orgId}::integer and external_key = ${externalKey}::text and deleted_at is null)
        union all
        (select id, deleted_at from locations
          where org_id = ${orgId}::integer and external_key = ${externalKey}::text and deleted_at is not null
          order by deleted_at desc limit 1)
      ) location
      order by until desc limit 1`;
  }
  const { tagType, value } = named.tag;
  return sql.prepared('locate-by-tag', rowsOf<{ id: number }>())`
    select location_id as id from tags
    where org_id = ${orgId}::integer and tag_type = ${tagType}::text and location_id is not null
      and tag_key = ${tagKey(tagType, value)}::text
    order by detached_at is null desc, value = ${value}::text desc, detached_at desc, id desc limit 1`;
}
