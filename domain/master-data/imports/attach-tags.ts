import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import type { Keyed } from '../live-by-key.ts';
import type { NewTag } from '../tags/new-tag.ts';
import { PARENT_COLUMN } from '../tags/queries.ts';

export interface AttachedTag {
  parent_id: number;
  tag_type: string;
  value: string;
}

/** Attaches tags to rows of this transaction, under placeholder ids; live ones are left out of the result. */
export function attachTags(
  transaction: OrganizationChange,
  resource: Keyed,
  tags: readonly { parentId: number; tag: NewTag }[],
): Promise<readonly AttachedTag[]> {
  const texts = (of: (tag: NewTag) => string) =>
    sql.array(
      tags.map(({ tag }) => of(tag)),
      'text',
    );
  const parents = sql.array(
    tags.map(({ parentId }) => parentId),
    'int4',
  );
  return transaction.any(sql.type(rowsOf<AttachedTag>())`
    insert into tags (org_id, id, ${PARENT_COLUMN[resource]}, tag_type, value, tag_key)
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.parent_id, given.tag_type, given.value, given.tag_key
    from unnest(
      ${parents},
      ${texts(({ tagType }) => tagType)},
      ${texts(({ value }) => value)},
      ${texts(({ tagKey }) => tagKey)}
    ) with ordinality as given (parent_id, tag_type, value, tag_key, ordinal)
    order by given.ordinal
    on conflict (org_id, tag_type, value) where detached_at is null do nothing
    returning ${PARENT_COLUMN[resource]} as parent_id, tag_type, value`);
}
