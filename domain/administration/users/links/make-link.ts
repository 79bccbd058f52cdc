import { AppError } from '../../../../base/errors.ts';
import { TAGTRAIL } from '../../../../base/typed-command.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { requireRoom } from '../../../changes/require-room.ts';
import { requireLiveOrganization } from '../../organizations/live-organization.ts';
import { findRole, forEach, organizationsOf } from '../memberships.ts';
import type { Role } from '../roles.ts';
import { deleteLinksOf, insertLink, type LinkPurpose, type MadeLink } from '../stored-link.ts';
import {
  findUserByEmail,
  lockUser,
  requireOwnUser,
  signsInByProviderOnly,
  type UserRow,
} from '../stored-user.ts';
import { emailOf } from '../user-fields.ts';

const HOUR = 3_600;
const SECONDS: Record<LinkPurpose, number> = {
  first: HOUR,
  invite: 7 * 24 * HOUR,
  reset: 24 * HOUR,
  sign_in: HOUR,
};

/** Makes the first administrator of an organization, within an hour. Invalidates any earlier link. */
export function makeFirstLink(db: Database, actor: Actor, orgId: number): Promise<MadeLink> {
  return makeChange(db, actor, async (change) => {
    await requireLiveOrganization(change, orgId);
    await change.exec(sql.type(NO_ROWS)`
      delete from user_links where org_id = ${orgId} and purpose = 'first' and used_at is null`);
    const link = await insertLink(change, {
      ...{ purpose: 'first', seconds: SECONDS.first, orgId, role: 'admin', madeIn: null },
    });
    return changed(link, [linkEntry(orgId, link, { purpose: 'first', role: 'admin' })]);
  });
}

/**
 * Makes a member, within a week. Invalidates an earlier invitation of the same address to the organization.
 *
 * @throws UserFault, AppError `not_found` (organization), `conflict` (a member already, too many invitations).
 */
export function invite(
  db: Database,
  actor: Actor,
  { orgId, email: given, role }: { orgId: number; email: string; role: Role },
): Promise<MadeLink> {
  const email = emailOf(given);
  return makeChange(db, actor, async (change) => {
    await requireLiveOrganization(change, orgId);
    const user = await findUserByEmail(change, email);
    if (user !== null && (await findRole(change, user.id, orgId)) !== null) {
      throw new AppError('conflict', `${email} is a member of organization ${orgId} already`);
    }
    await change.exec(sql.prepared('delete-earlier-invitations', NO_ROWS)`
      delete from user_links where org_id = ${orgId} and purpose = 'invite' and email = ${email} and used_at is null`);
    await requireRoom(change, orgId, 'invitations');
    const link = await insertLink(change, {
      ...{ purpose: 'invite', seconds: SECONDS.invite, orgId, role, email, madeIn: orgId },
    });
    return changed(link, [linkEntry(orgId, link, { purpose: 'invite', email, role })]);
  });
}

/**
 * Lets a user set a password, within a day. Nothing changes until it is used, except that it invalidates an earlier
 * such link.
 *
 * @param orgId of the administrator who asks; null for the command line.
 * @throws AppError `not_found`, `forbidden` (member of other organizations, or signs in by the identity provider
 * only), `conflict` (disabled).
 */
export function makeResetLink(
  db: Database,
  actor: Actor,
  { userId, orgId }: { userId: number; orgId: number | null },
): Promise<MadeLink> {
  return makeLinkOf(db, actor, { purpose: 'reset', userId, orgId });
}

/** Signs a user in, within an hour. For programs that made the user, such as the demo. */
export function makeSignInLink(db: Database, actor: Actor, userId: number): Promise<MadeLink> {
  return makeLinkOf(db, actor, { purpose: 'sign_in', userId, orgId: null });
}

function makeLinkOf(
  db: Database,
  actor: Actor,
  { purpose, userId, orgId }: { purpose: 'reset' | 'sign_in'; userId: number; orgId: number | null },
): Promise<MadeLink> {
  return makeChange(db, actor, async (change) => {
    const user = await lockUser(change, userId);
    await requireOwnUser(change, orgId, user);
    if (orgId !== null) {
      await requireNotByProviderOnly(change, user);
    }
    requireEnabled(user);
    await deleteLinksOf(change, userId);
    const link = await insertLink(change, { purpose, seconds: SECONDS[purpose], userId, madeIn: orgId });
    const organizations = await organizationsOf(change, userId);
    const { orgId: _, ...entry } = linkEntry(null, link, { purpose, email: user.email });
    return changed(link, forEach(organizations, entry));
  });
}

/**
 * An administrator who set a password for somebody whom the identity provider vouches for could act as that person,
 * even after the provider stops letting them in.
 *
 * @throws AppError `forbidden`.
 */
async function requireNotByProviderOnly(change: Change, { id, email }: UserRow): Promise<void> {
  if (await signsInByProviderOnly(change, id)) {
    throw new AppError(
      'forbidden',
      `${email} signs in by single sign-on, and has no password. If one is needed, ask the ` +
        `operator (${TAGTRAIL} user reset)`,
    );
  }
}

/** @throws AppError `conflict`. */
export function requireEnabled({ email, is_disabled: isDisabled }: UserRow): void {
  if (isDisabled) {
    throw new AppError('conflict', `${email} is disabled; enable the user first`);
  }
}

function linkEntry(
  orgId: number | null,
  { id, expires_at }: MadeLink,
  about: { purpose: LinkPurpose; email?: string; role?: Role },
): ChangeEntry {
  return {
    orgId,
    action: 'create',
    resource: { type: 'link', id, externalKey: about.email ?? null },
    before: null,
    after: { ...about, expires_at },
  };
}

/** The address that opens a link. The token is in the fragment, which no browser sends, so it reaches no log. */
export function linkAddress(consoleUrl: string, token: string): string {
  return `${consoleUrl}/#/link/${token}`;
}
