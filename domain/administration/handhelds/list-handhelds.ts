import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface ListedHandheld {
  id: number;
  org_id: number;
  name: string;
  created_at: string;
  /** Null if it does not expire. */
  expires_at: string | null;
  revoked_at: string | null;
  /** To the minute; null if never, or not since uses are recorded. */
  last_used_at: string | null;
  /** Latest submission still remembered; null if none. */
  last_submission_at: string | null;
}

/**
 * Handhelds by id, revoked ones included.
 *
 * @param orgId null for every organization.
 */
export async function listHandhelds(db: Connection, orgId: number | null): Promise<ListedHandheld[]> {
  const rows = await db.any(sql.type(rowsOf<ListedHandheld>())`
    select handheld.id, handheld.org_id, handheld.name, handheld.created_at, handheld.expires_at, handheld.revoked_at,
      handheld.last_used_at, last.received_at as last_submission_at
    from handhelds handheld
    left join lateral (
      select received_at from submissions where org_id = handheld.org_id and handheld_id = handheld.id
      order by received_at desc limit 1
    ) last on true
    where ${orgId}::integer is null or handheld.org_id = ${orgId}::integer
    order by handheld.id`);
  return rows.map(asListed);
}

/** A page of an organization's handhelds by id, revoked ones included. */
export async function listPageOfHandhelds(
  db: Connection,
  orgId: number,
  { limit, offset }: Paging,
): Promise<Page<ListedHandheld>> {
  const rows = await db.any(sql.prepared(
    'list-handhelds',
    rowsOf<ListedHandheld & { total_count: number }>(),
  )`
    with page as (
      select id, org_id, name, created_at, expires_at, revoked_at, last_used_at from handhelds
      where org_id = ${orgId} order by id limit ${limit} offset ${offset}
    )
    select total.total_count, page.*, last.received_at as last_submission_at
    from (select count(*) as total_count from handhelds where org_id = ${orgId}) total
    left join page on true
    left join lateral (
      select received_at from submissions where org_id = ${orgId} and handheld_id = page.id
      order by received_at desc limit 1
    ) last on true
    order by page.id`);
  const { rows: listed, ...page } = pageOf(rows);
  return { ...page, rows: listed.map(asListed) };
}

function asListed({
  id,
  org_id,
  name,
  created_at,
  expires_at,
  revoked_at,
  last_used_at,
  last_submission_at,
}: ListedHandheld): ListedHandheld {
  return {
    ...{ id, org_id, name },
    created_at: wireTime(created_at),
    expires_at: wireTimeOrNull(expires_at),
    revoked_at: wireTimeOrNull(revoked_at),
    last_used_at: wireTimeOrNull(last_used_at),
    last_submission_at: wireTimeOrNull(last_submission_at),
  };
}
