import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { type Instant, toDatabase } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { ApiKeyRow } from '../../../domain/administration/api-keys/view.ts';

const COLUMNS = sql.fragment`id, name, scopes, created_at, expires_at, revoked_at, last_used_at`;

/** A page of the organization's keys, revoked and expired ones too, in the order they were issued in. */
export async function listApiKeys(
  connection: OrganizationConnection,
  { limit, offset }: Paging,
): Promise<Page<ApiKeyRow>> {
  const { orgId } = connection;
  const rows = await connection.any(sql.prepared(
    'list-api-keys',
    rowsOf<ApiKeyRow & { total_count: number }>(),
  )`
    select total.total_count, page.*
    from (select count(*) as total_count from api_keys where org_id = ${orgId}) total
    left join (
      select ${COLUMNS} from api_keys where org_id = ${orgId} order by created_at, id limit ${limit} offset ${offset}
    ) page on true
    order by page.created_at, page.id`);
  return pageOf(rows);
}

export interface NewApiKeyRow {
  id: string;
  name: string;
  scopes: readonly string[];
  secretDigest: Buffer;
  expiresAt: Instant | null;
}

/** Inserts a key unless it would have expired already, by the database's clock; then the answer is null. */
export function insertApiKey(
  connection: OrganizationConnection,
  { id, name, scopes, secretDigest, expiresAt }: NewApiKeyRow,
): Promise<ApiKeyRow | null> {
  return connection.maybeOne(sql.prepared('insert-api-key', rowsOf<ApiKeyRow>())`
    insert into api_keys (org_id, id, name, scopes, secret_sha256, expires_at)
    select ${connection.orgId}, ${id}, ${name}, ${sql.array(scopes, 'text')}, ${sql.binary(secretDigest)}, expires_at
    from (select ${expiresAt === null ? null : toDatabase(expiresAt)}::timestamptz as expires_at) given
    where expires_at is null or expires_at > clock_timestamp()
    returning ${COLUMNS}`);
}

/** Revokes a key that is not; its processes hear of it when this commits. False if there is none. */
export async function revokeApiKey(connection: OrganizationConnection, id: string): Promise<boolean> {
  const rows = await connection.any(sql.prepared('revoke-api-key', rowsOf<{ id: string }>())`
    update api_keys set revoked_at = clock_timestamp()
    where org_id = ${connection.orgId} and id = ${id} and revoked_at is null
    returning id`);
  return rows.length > 0;
}
