import type { ProviderIdentity } from '../../../domain/administration/users/provider/sign-in-by-provider.ts';
import { isAtLeast, type Role } from '../../../domain/administration/users/roles.ts';
import type { MappedRole } from './settings.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * The provider's statements about a person, in the ID token and, where that does not say it, at its userinfo endpoint.
 *
 * @param idToken checked.
 * @param userinfo of the same subject.
 */
export function identityOf(
  idToken: Claims & { iss: string; sub: string },
  userinfo: Claims,
  { roleClaim, roles }: { roleClaim: string; roles: readonly MappedRole[] },
): ProviderIdentity {
  const claims: Claims = { ...userinfo, ...idToken };
  const { email, isEmailVerified } = emailOf([idToken, userinfo]);
  return {
    ...{ issuer: idToken.iss, subject: idToken.sub, email, isEmailVerified },
    name: (textOf(claims['name']) ?? textOf(claims['preferred_username']) ?? email ?? idToken.sub).slice(
      0,
      255,
    ),
    roles: rolesOf(valuesOf(claims[roleClaim]), roles),
  };
}

/**
 * The address, and whether it is verified, as one source says both: one may say of another address than the other source that it
 * is verified.
 */
function emailOf(sources: readonly Claims[]): Pick<ProviderIdentity, 'email' | 'isEmailVerified'> {
  const said = sources.map((claims) => {
    const email = textOf(claims['email'])?.trim().toLowerCase() ?? null;
    const verified = claims['email_verified'];
    return {
      email: email !== null && EMAIL.test(email) && email.length <= 254 ? email : null,
      isEmailVerified: typeof verified === 'boolean' ? verified : null,
    };
  });
  const withEmail = said.filter(({ email }) => email !== null);
  return (
    withEmail.find(({ isEmailVerified }) => isEmailVerified !== null) ??
    withEmail[0] ?? { email: null, isEmailVerified: null }
  );
}

const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** The highest role in each organization that is named; null where no value gives one. */
function rolesOf(
  values: ReadonlySet<unknown>,
  mapped: readonly MappedRole[],
): ReadonlyMap<number, Role | null> {
  const roles = new Map<number, Role | null>();
  for (const { value, orgId, role } of mapped) {
    const known = roles.get(orgId) ?? null;
    const isGiven = values.has(value) && (known === null || isAtLeast(role, known));
    roles.set(orgId, isGiven ? role : known);
  }
  return roles;
}

function valuesOf(claim: unknown): ReadonlySet<unknown> {
  return new Set(Array.isArray(claim) ? claim : [claim]);
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' && claim.isWellFormed() && !/\p{Cc}/u.test(claim)
    ? claim
    : null;
}
