import type { ProviderIdentity } from '../../../domain/administration/users/provider/sign-in-by-provider.ts';
import { isAtLeast, type Role } from '../../../domain/administration/users/roles.ts';
import type { MappedRole } from './settings.ts';

/** What claims say about a person. */
export function identityOf(
  claims: Readonly<Record<string, unknown>> & { iss: string; sub: string },
  { roleClaim, roles }: { roleClaim: string; roles: readonly MappedRole[] },
): ProviderIdentity {
  const email = textOf(claims['email'])?.trim().toLowerCase() ?? null;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: email !== null && EMAIL.test(email) && email.length <= 254 ? email : null,
    isEmailVerified: typeof claims['email_verified'] === 'boolean' ? claims['email_verified'] : null,
    name: (textOf(claims['name']) ?? textOf(claims['preferred_username']) ?? email ?? claims.sub).slice(
      0,
      255,
    ),
    roles: rolesOf(valuesOf(claims[roleClaim]), roles),
  };
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
