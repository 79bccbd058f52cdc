import { append } from '../../../../base/append.ts';
import { AppError } from '../../../../base/errors.ts';
import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { findLiveOrganization } from '../../organizations/live-organization.ts';
import { leaveOnlyProvider } from '../accounts/leave-only-provider.ts';
import { drawUserId, insertUser } from '../create-user.ts';
import { keepAdministrator, type Loss } from '../keep-administrator.ts';
import { GOOD_LINK } from '../links/open-link.ts';
import {
  deleteMembership,
  findRole,
  forEach,
  insertMembership,
  membershipEntry,
  organizationsOf,
} from '../memberships.ts';
import type { Role } from '../roles.ts';
import { beginSession, type SessionPlace } from '../sessions/begin-session.ts';
import { deleteSessions } from '../sessions/end-session.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import type { SignedIn } from '../sessions/sign-in.ts';
import { deleteLinksOf } from '../stored-link.ts';
import { findUserByEmail, isLinkedElsewhere, lockUser, type StoredUser } from '../stored-user.ts';
import { ProviderRefusal } from './provider-refusal.ts';

/** The identity that the provider asserts. */
export interface ProviderIdentity {
  issuer: string;
  /** The identifier that the provider never gives to another person. */
  subject: string;
  /** As stored; null if the provider does not say. */
  email: string | null;
  /** Confirmed by the provider: only then the address identifies the person. Null if it does not say. */
  isEmailVerified: boolean | null;
  name: string;
  /** By organization, for those that claims decide on; null removes the membership. */
  roles: ReadonlyMap<number, Role | null>;
  /** The claim that gives roles, if the provider did not say it. */
  missingClaim: string | null;
}

/**
 * Begins a session for somebody whom the identity provider knows. The first time the person becomes the user with the
 * verified address, or a new one whom a claim or an invitation lets in. From then on the subject tells who it is.
 *
 * @throws ProviderRefusal.
 */
export async function signInByProvider(
  db: Database,
  identity: ProviderIdentity,
  place: SessionPlace & { requestId: string },
): Promise<SignedIn> {
  const known = await findKnown(db, identity);
  const email = known?.email ?? (await emailOfNew(db, identity));
  const id = known?.id ?? (await drawUserId(db));
  const signedIn = await makeChange(
    db,
    { type: 'user', id: String(id), requestId: place.requestId },
    async (change) => {
      const entries: ChangeEntry[] = [];
      if (known === null) {
        const { name } = identity;
        entries.push((await insertUser(change, { id, email, name, password: null }, null)).entry);
      } else if ((await lockUser(change, id)).is_disabled) {
        throw new ProviderRefusal('disabled');
      }
      append(entries, await linkToProvider(change, { id, email }, identity));
      append(entries, await mapRoles(change, { id, email }, identity.roles));
      if (identity.isEmailVerified === true && identity.email === email) {
        append(entries, await acceptInvitations(change, { id, email }));
      }
      if (entries.some(({ action, resource }) => action === 'create' && resource.type === 'membership')) {
        append(entries, await leaveOnlyProvider(change, { id, email }));
      }
      const session = await beginSession(change, { id, email }, { ...place, by: 'identity_provider' });
      return changed({ userId: id, sessionId: session.id, token: session.token }, [
        ...entries,
        ...session.entries,
      ]);
    },
  );
  await heardEverywhere();
  return signedIn;
}

async function findKnown(db: Database, identity: ProviderIdentity): Promise<StoredUser | null> {
  const bySubject = await findUserBySubject(db, identity);
  if (bySubject !== null || identity.email === null) {
    return bySubject;
  }
  const byEmail = await findUserByEmail(db, identity.email);
  if (byEmail === null) {
    return null;
  }
  if (identity.isEmailVerified !== true) {
    throw new ProviderRefusal('unverified');
  }
  if (await isLinkedElsewhere(db, byEmail.id)) {
    throw new ProviderRefusal('other_account');
  }
  return byEmail;
}

async function emailOfNew(
  db: Database,
  { email, isEmailVerified, roles, missingClaim }: ProviderIdentity,
): Promise<string> {
  if (email === null || isEmailVerified === false) {
    throw new ProviderRefusal('unverified');
  }
  const hasRole = [...roles.values()].some((role) => role !== null);
  if (!hasRole && !(isEmailVerified === true && (await findInvitation(db, email)))) {
    if (isEmailVerified === true && missingClaim !== null) {
      throw new ProviderRefusal('no_groups', { missing_claim: missingClaim });
    }
    throw new ProviderRefusal(isEmailVerified === true ? 'unknown' : 'unverified');
  }
  return email;
}

/** True if an address has an open invitation. */
async function findInvitation(db: Connection, email: string): Promise<boolean> {
  const row = await db.one(sql.prepared('has-invitation', rowsOf<{ has_one: boolean }>())`
    select exists (
      select from user_links link
      join organizations organization on organization.id = link.org_id and organization.deleted_at is null
      where link.purpose = 'invite' and link.email = ${email} and link.used_at is null and link.expires_at > now()
    ) as has_one`);
  return row.has_one;
}

/** Uses up the open invitations of an address that is known to be the user's. */
async function acceptInvitations(
  change: Change,
  user: { id: number; email: string },
): Promise<ChangeEntry[]> {
  const open = await change.any(sql.prepared(
    'open-invitations',
    rowsOf<{ id: number; org_id: number; role: Role }>(),
  )`
    select link.id, link.org_id, link.role from user_links link
    join organizations organization on organization.id = link.org_id and organization.deleted_at is null
    where link.purpose = 'invite' and link.email = ${user.email} and ${GOOD_LINK}
    order by link.id for update of link`);
  const entries: ChangeEntry[] = [];
  for (const { id, org_id: orgId, role } of open) {
    await change.exec(sql.prepared('use-invitation', NO_ROWS)`
      update user_links set used_at = clock_timestamp() where id = ${id}`);
    if ((await findRole(change, user.id, orgId)) === null) {
      entries.push(await insertMembership(change, user, { orgId, role }));
    }
  }
  return entries;
}

interface Subject {
  issuer: string;
  subject: string;
}

function findUserBySubject(db: Connection, { issuer, subject }: Subject): Promise<StoredUser | null> {
  return db.maybeOne(sql.prepared('find-user-by-subject', rowsOf<StoredUser>())`
    select id, email, name, is_disabled, password from users where issuer = ${issuer} and subject = ${subject}`);
}

/**
 * The first time, the user's password, sessions and links end: they may have been set by the author of the invitation,
 * who has the link too, and not by the owner of the address.
 */
async function linkToProvider(
  change: Change,
  user: { id: number; email: string },
  { issuer, subject }: Subject,
): Promise<ChangeEntry[]> {
  const count = await change.exec(sql.prepared('link-to-provider', NO_ROWS)`
    update users set issuer = ${issuer}, subject = ${subject}, password = null, updated_at = now()
    where id = ${user.id} and subject is null`);
  if (count === 0) {
    return [];
  }
  await deleteSessions(change, user.id, null);
  await deleteLinksOf(change, user.id);
  await forgetDevices(change, user.id);
  return forEach(await organizationsOf(change, user.id), {
    action: 'update',
    resource: { type: 'user', id: user.id, externalKey: user.email },
    before: { issuer: null, subject: null },
    after: { issuer, subject, password: 'removed' },
  });
}

/**
 * Gives a user the roles that claims say, in the organizations they decide about. The last administrator of one keeps
 * the role: a slip at the identity provider must not lock everybody out.
 */
async function mapRoles(
  change: Change,
  user: { id: number; email: string },
  roles: ReadonlyMap<number, Role | null>,
): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  for (const [orgId, role] of roles) {
    const before = await findRole(change, user.id, orgId);
    if (before === role || (await findLiveOrganization(change, orgId)) === null) {
      continue;
    }
    if (before === null && role !== null) {
      entries.push(await insertMembership(change, user, { orgId, role }));
    } else if (await mayLose(change, orgId, user, role === null ? 'be removed' : 'lose the role')) {
      await writeRole(change, orgId, user.id, role);
      entries.push(membershipEntry(orgId, user, role === null ? 'delete' : 'update', before, role));
    }
  }
  return entries;
}

async function mayLose(
  change: Change,
  orgId: number,
  user: { id: number; email: string },
  loss: Loss,
): Promise<boolean> {
  try {
    await keepAdministrator(change, orgId, user, loss);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') {
      return false;
    }
    throw error;
  }
}

async function writeRole(change: Change, orgId: number, userId: number, role: Role | null): Promise<void> {
  if (role === null) {
    await deleteMembership(change, userId, orgId);
    return;
  }
  await change.exec(sql.prepared('map-role', NO_ROWS)`
    update memberships set role = ${role} where user_id = ${userId} and org_id = ${orgId}`);
}
