import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { texts } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, type RowQuery, sql } from '../../../db/timescale/queries/sql.ts';
import { claimed } from '../claims.ts';
import { asRows } from './queries.ts';
import type { TagArrays } from './tag-columns.ts';

/** `claim` (`claims.ts`) including tags; in one statement, so that everybody takes the locks in the same order. */
export async function claimWithTags(
  transaction: OrganizationConnection,
  names: readonly string[],
  tags: TagArrays,
): Promise<void> {
  await transaction.exec(claiming(transaction.orgId, names, tags));
}

/** The statement alone, to precede another one; it returns no rows. */
export function claiming(orgId: number, names: readonly string[], tags: TagArrays): RowQuery<never> {
  const named = sql.fragment`(
    select unnest(${sql.binary(texts(names))}::text[]) as name
    union all select concat_ws(':', 'tag', tag.tag_type, tag.value) from ${asRows(tags)}
  ) named`;
  return sql.prepared('claim-names-and-tags', NO_ROWS)`${claimed(orgId, named)}`;
}
