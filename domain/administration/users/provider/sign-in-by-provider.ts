import { append } from '../../../../base/append.ts';
import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import { changed, makeChange } from '../../../changes/make-change.ts';
import { leaveOnlyProvider } from '../accounts/leave-only-provider.ts';
import { drawUserId, insertUser } from '../create-user.ts';
import type { Role } from '../roles.ts';
import { beginSession, type SessionPlace } from '../sessions/begin-session.ts';
import type { SignedIn } from '../sessions/sign-in.ts';
import { findUserByEmail, isLinkedElsewhere, lockUser, type StoredUser } from '../stored-user.ts';
import { acceptInvitations, findInvitation } from './accept-invitations.ts';
import { findUserBySubject, linkToProvider } from './link-to-provider.ts';
import { mapRoles } from './map-roles.ts';
import { ProviderRefusal } from './provider-refusal.ts';

/** Who the identity provider says that somebody is. */
export interface ProviderIdentity {
  issuer: string;
  /** What the provider never gives to another person. */
  subject: string;
  /** As stored; null if the provider does not say. */
  email: string | null;
  /** By the provider: only then the address tells who it is. Null if it does not say. */
  isEmailVerified: boolean | null;
  name: string;
  /** By organization, of those that claims decide about: null takes the membership. */
  roles: ReadonlyMap<number, Role | null>;
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
  { email, isEmailVerified, roles }: ProviderIdentity,
): Promise<string> {
  if (email === null || isEmailVerified === false) {
    throw new ProviderRefusal('unverified');
  }
  const hasRole = [...roles.values()].some((role) => role !== null);
  if (!hasRole && !(isEmailVerified === true && (await findInvitation(db, email)))) {
    throw new ProviderRefusal(isEmailVerified === true ? 'unknown' : 'unverified');
  }
  return email;
}
