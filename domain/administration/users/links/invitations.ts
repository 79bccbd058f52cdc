import { AppError } from '../../../../base/errors.ts';
import { type Page, type Paging, pageOf } from '../../../../base/page.ts';
import { wireTime } from '../../../../base/timestamps.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../../changes/actor.ts';
import { changed, makeChange } from '../../../changes/make-change.ts';
import type { Role } from '../roles.ts';
import { GOOD_LINK } from './open-link.ts';

export interface Invitation {
  id: number;
  email: string;
  role: Role;
  created_at: string;
  expires_at: string;
}

/** A page of an organization's open invitations, newest first. */
export async function listInvitations(
  db: Connection,
  orgId: number,
  { limit, offset }: Paging,
): Promise<Page<Invitation>> {
  const rows = await db.any(sql.prepared('list-invitations', rowsOf<Invitation & { total_count: number }>())`
    with open as (
      select link.id, link.email, link.role, link.created_at, link.expires_at from user_links link
      where link.org_id = ${orgId} and link.purpose = 'invite' and ${GOOD_LINK}
    )
    select total.total_count, page.*
    from (select count(*) as total_count from open) total
    left join (select * from open order by id desc limit ${limit} offset ${offset}) page on true
    order by page.id desc`);
  const { rows: open, ...page } = pageOf(rows);
  return {
    ...page,
    rows: open.map(({ id, email, role, created_at, expires_at }) => ({
      ...{ id, email, role, created_at: wireTime(created_at), expires_at: wireTime(expires_at) },
    })),
  };
}

/** @throws AppError `not_found`. */
export function withdrawInvitation(
  db: Database,
  actor: Actor,
  { orgId, id }: { orgId: number; id: number },
): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const row = await change.maybeOne(sql.prepared(
      'withdraw-invitation',
      rowsOf<{ email: string; role: Role }>(),
    )`
      delete from user_links where id = ${id} and org_id = ${orgId} and purpose = 'invite' and used_at is null
      returning email, role`);
    if (row === null) {
      throw new AppError('not_found', 'Invitation not found');
    }
    return changed(undefined, [
      {
        orgId,
        action: 'delete',
        resource: { type: 'link', id, externalKey: row.email },
        before: { purpose: 'invite', ...row },
        after: null,
      },
    ]);
  });
}
