import { AppError } from '../../../base/errors.ts';
import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type ApiKeyRow, KEY_COLUMNS } from './key-row.ts';

/**
 * All keys of an organization without secrets, oldest first; deleted organizations still show theirs.
 *
 * @throws AppError `not_found` (organization).
 */
export async function listKeys(db: Connection, orgId: number): Promise<readonly ApiKeyRow[]> {
  const rows = await db.any(sql.type(rowsOf<ApiKeyRow>())`
    select ${KEY_COLUMNS}
    from organizations organization
    left join api_keys api_key on api_key.org_id = organization.id
    where organization.id = ${orgId}::integer
    order by api_key.created_at, api_key.id`);
  if (rows.length === 0) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return rows.filter(({ id }: { id: string | null }) => id !== null);
}

export async function listPageOfKeys(
  db: Connection,
  orgId: number,
  { limit, offset }: Paging,
): Promise<Page<ApiKeyRow>> {
  const rows = await db.any(sql.prepared('list-api-keys', rowsOf<ApiKeyRow & { total_count: number }>())`
    select total.total_count, page.*
    from (select count(*) as total_count from api_keys where org_id = ${orgId}) total
    left join (
      select ${KEY_COLUMNS} from api_keys api_key where org_id = ${orgId}
      order by created_at, id limit ${limit} offset ${offset}
    ) page on true
    order by page.created_at, page.id`);
  return pageOf(rows);
}
