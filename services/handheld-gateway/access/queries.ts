import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';

export interface HandheldRow extends CredentialRow {
  org_id: number;
  token_sha256: Buffer;
  is_revoked: boolean;
  org_is_deleted: boolean;
  org_is_held: boolean;
}

export type HandheldCache = CredentialCache<HandheldRow>;

/** Looks handhelds up by id. The one query without an organization: it finds out which one asks. */
export async function findHandhelds(
  db: Connection,
  ids: readonly number[],
): Promise<ReadonlyMap<string, HandheldRow>> {
  const rows = await db.any(sql.prepared('find-handhelds', rowsOf<HandheldRow & { id: number }>())`
    select handheld.id, handheld.org_id, handheld.token_sha256, handheld.revoked_at is not null as is_revoked,
      extract(epoch from handheld.expires_at - clock_timestamp())::double precision as seconds_left,
      organization.deleted_at is not null as org_is_deleted, organization.held_at is not null as org_is_held
    from handhelds handheld
    join organizations organization on organization.id = handheld.org_id
    where handheld.id = any(${sql.array(ids, 'int4')})`);
  return new Map(rows.map((row) => [String(row.id), row]));
}
