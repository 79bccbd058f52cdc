import { AppError } from '../../../base/errors.ts';
import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** A stored key without the digest of its secret. Times are `timestamptz` text. */
export interface ApiKeyRow {
  id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export const KEY_COLUMNS = sql.fragment`api_key.id, api_key.name, api_key.scopes, api_key.created_at,
  api_key.expires_at, api_key.revoked_at, api_key.last_used_at`;

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

/** A key as the API and the command line show it. */
export function shownKey(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    created_at: wireTime(key.created_at),
    expires_at: wireTimeOrNull(key.expires_at),
    revoked_at: wireTimeOrNull(key.revoked_at),
    last_used_at: wireTimeOrNull(key.last_used_at),
  };
}
