import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';
import type { CredentialUse } from '../../../platform/access/credential-usage.ts';

export interface KeyRow extends CredentialRow {
  org_id: number;
  scopes: string[];
  secret_sha256: Buffer;
  is_revoked: boolean;
  org_is_deleted: boolean;
  org_is_held: boolean;
}

export type KeyCache = CredentialCache<KeyRow>;

export async function findKeys(db: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, KeyRow>> {
  const rows = await db.any(sql.prepared('find-keys', rowsOf<KeyRow & { id: string }>())`
    select api_key.id, api_key.org_id, api_key.scopes, api_key.secret_sha256,
      api_key.revoked_at is not null as is_revoked,
      extract(epoch from api_key.expires_at - clock_timestamp())::double precision as seconds_left,
      organization.deleted_at is not null as org_is_deleted, organization.held_at is not null as org_is_held
    from api_keys api_key
    join organizations organization on organization.id = api_key.org_id
    where api_key.id = any(${sql.array(ids, 'text')})`);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Writes last uses by the database's clock, never replacing a later one. Locks keys by id, so that processes
 * writing the same ones do not deadlock.
 */
export async function writeLastUsed(db: Connection, uses: readonly CredentialUse[]): Promise<void> {
  const ids = uses.map(({ id }) => id);
  const ages = uses.map(({ secondsAgo }) => secondsAgo);
  await db.exec(sql.prepared('write-last-used', rowsOf<Record<string, never>>())`
    with used as (
      select api_key.org_id, api_key.id, now() - make_interval(secs => given.seconds_ago) as used_at
      from unnest(${sql.array(ids, 'text')}, ${sql.array(ages, 'float8')}) as given (id, seconds_ago)
      join api_keys api_key on api_key.id = given.id
      where ${isHere(sql.fragment`api_key.org_id`)}
      order by api_key.id
      for no key update of api_key
    )
    update api_keys api_key set last_used_at = used.used_at
    from used
    where api_key.org_id = used.org_id and api_key.id = used.id
      and (api_key.last_used_at is null or api_key.last_used_at < used.used_at)`);
}
