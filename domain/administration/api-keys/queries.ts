import { type Instant, toDatabase } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ApiKeyRow } from './view.ts';

export interface NewKeyRow {
  orgId: number;
  id: string;
  name: string;
  scopes: readonly string[];
  secretDigest: Buffer;
  expiresAt: string | null;
}

/** Whether an instant is in the future, by the database's clock. */
export async function isToCome(db: Connection, instant: Instant): Promise<boolean> {
  const row = await db.one(sql.type(rowsOf<{ is_to_come: boolean }>())`
    select ${toDatabase(instant)}::timestamptz > clock_timestamp() as is_to_come`);
  return row.is_to_come;
}

/** False if there is no such organization, or it is deleted. */
export async function insertKey(db: Connection, key: NewKeyRow): Promise<boolean> {
  const inserted = await db.maybeOne(sql.type(rowsOf<{ id: string }>())`
    insert into api_keys (org_id, id, name, scopes, secret_sha256, expires_at)
    select organization.id, ${key.id}, ${key.name}, ${sql.array(key.scopes, 'text')},
      ${sql.binary(key.secretDigest)}, ${key.expiresAt}::timestamptz
    from organizations organization
    where organization.id = ${key.orgId}::integer and organization.deleted_at is null
    returning api_keys.id`);
  return inserted !== null;
}

/** The keys of an organization in the order they were issued in; null if there is no such organization. */
export async function findKeysOf(db: Connection, orgId: number): Promise<readonly ApiKeyRow[] | null> {
  const rows = await db.any(sql.type(rowsOf<ApiKeyRow>())`
    select api_key.id, api_key.name, api_key.scopes, api_key.created_at, api_key.expires_at, api_key.revoked_at,
      api_key.last_used_at
    from organizations organization
    left join api_keys api_key on api_key.org_id = organization.id
    where organization.id = ${orgId}::integer
    order by api_key.created_at, api_key.id`);
  return rows.length === 0 ? null : rows.filter(({ id }: { id: string | null }) => id !== null);
}

/** Revokes a key; one that is revoked already keeps its time. Null if there is none. */
export function revokeKeyById(db: Connection, id: string): Promise<{ revoked_at: string } | null> {
  return db.maybeOne(sql.type(rowsOf<{ revoked_at: string }>())`
    update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${id} returning revoked_at`);
}
