import { AppError } from '../../../../base/errors.ts';
import { wireTime } from '../../../../base/timestamps.ts';
import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { Change } from '../../../changes/make-change.ts';
import type { Role } from '../roles.ts';
import type { LinkPurpose } from '../stored-link.ts';
import { digestOfToken } from '../tokens.ts';

/**
 * Condition on a row `link`: not used, not expired, and its author is still an administrator there, because the author
 * may have kept the link. By the clock of the statement, which may have waited.
 */
export const GOOD_LINK = sql.fragment`
  link.used_at is null and link.expires_at > clock_timestamp() and (link.made_by is null or exists (
    select from memberships maker join users account on account.id = maker.user_id and not account.is_disabled
    where maker.user_id = link.made_by and maker.org_id = link.made_in and maker.role = 'admin'))`;

/** A link that is good: {@link GOOD_LINK}. */
export interface OpenLink {
  id: number;
  purpose: LinkPurpose;
  /** For `reset` and `sign_in`, and for `invite` if a user has the address. */
  user_id: number | null;
  org_id: number | null;
  organization: string | null;
  role: Role | null;
  /** Null for `first`, which takes any. */
  email: string | null;
  expires_at: string;
}

/** One answer for every reason: expired, used, withdrawn, never made. */
export class LinkGone extends AppError {
  constructor() {
    super('not_found', 'This link has expired or was used already; ask for a new one');
    this.name = 'LinkGone';
  }
}

/** The purpose of a link, which stays valid. @throws LinkGone. */
export async function lookAtLink(db: Connection, token: string): Promise<OpenLink> {
  const digest = digestOfToken(token);
  const row =
    digest &&
    (await db.maybeOne(sql.prepared('find-link', rowsOf<OpenLink>())`
      select link.id, link.purpose, account.id as user_id, link.org_id, organization.name as organization, link.role,
        coalesce(link.email, account.email) as email, link.expires_at
      from user_links link
      left join users account on account.id = link.user_id or account.email = link.email
      left join organizations organization on organization.id = link.org_id
      where link.digest = decode(${digest}, 'hex') and organization.deleted_at is null and ${GOOD_LINK}`));
  if (!row) {
    throw new LinkGone();
  }
  return { ...row, expires_at: wireTime(row.expires_at) };
}

/**
 * Uses a link up: of two at once one succeeds, and the other waits for that.
 *
 * @throws LinkGone.
 */
export async function useLink(change: Change, id: number): Promise<void> {
  const count = await change.exec(sql.prepared('use-link', NO_ROWS)`
    update user_links link set used_at = clock_timestamp() where link.id = ${id} and ${GOOD_LINK}`);
  if (count === 0) {
    throw new LinkGone();
  }
}
