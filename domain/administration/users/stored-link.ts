import { wireTime } from '../../../base/timestamps.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Change } from '../../changes/make-change.ts';
import type { Role } from './roles.ts';
import { newToken } from './tokens.ts';

export type LinkPurpose = 'first' | 'invite' | 'reset' | 'sign_in';

export interface MadeLink {
  id: number;
  /** For the fragment of an address: `<console>/#/link/<token>`. The only copy. */
  token: string;
  expires_at: string;
}

interface NewLink {
  purpose: LinkPurpose;
  seconds: number;
  userId?: number;
  orgId?: number;
  role?: Role;
  email?: string;
  /** The organization on whose behalf its administrator makes it; null for the command line. */
  madeIn: number | null;
}

/** Unused links that would sign in as the user. */
export async function deleteLinksOf(change: Change, userId: number): Promise<void> {
  await change.exec(sql.prepared('delete-links-of-user', NO_ROWS)`
    delete from user_links where user_id = ${userId} and used_at is null`);
}

/** Also drops links that expired a day ago. */
export async function insertLink(
  change: Change,
  { purpose, seconds, userId, orgId, role, email, madeIn }: NewLink,
): Promise<MadeLink> {
  await change.exec(sql.prepared('delete-expired-links', NO_ROWS)`
    delete from user_links link where expires_at < now() - interval '1 day'
      and (org_id is null or ${isHere(sql.fragment`link.org_id`)})
      and (made_in is null or ${isHere(sql.fragment`link.made_in`)})`);
  const { token, digest } = newToken();
  const maker = change.actor.type === 'user' && madeIn !== null ? Number(change.actor.id) : null;
  const row = await change.one(sql.prepared('insert-link', rowsOf<{ id: number; expires_at: string }>())`
    insert into user_links (digest, purpose, user_id, org_id, role, email, expires_at,
      made_by, made_in)
    values (decode(${digest}, 'hex'), ${purpose}, ${userId ?? null}, ${orgId ?? null}, ${role ?? null},
      ${email ?? null}, now() + make_interval(secs => ${seconds}), ${maker}, ${maker === null ? null : madeIn})
    returning id, expires_at`);
  return { id: row.id, token, expires_at: wireTime(row.expires_at) };
}
