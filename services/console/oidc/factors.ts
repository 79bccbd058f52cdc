import { ProviderRefusal } from '../../../domain/administration/users/provider/provider-refusal.ts';

/** What an ID token must say of how somebody signed in: one value of each list that has any. */
export interface Demands {
  readonly acr: readonly string[];
  readonly amr: readonly string[];
}

/**
 * The provider is free to ignore what it is asked for (OpenID Connect Core 3.1.2.1), so only its answer counts.
 *
 * @param idToken and nothing else of the answer: it is signed, and about this sign-in.
 * @throws ProviderRefusal `factors`, with what it says.
 */
export function requireFactors(idToken: Readonly<Record<string, unknown>>, demands: Demands): void {
  const { acr, amr } = idToken;
  const methods = Array.isArray(amr) ? amr : [amr];
  const isConfirmed =
    (demands.acr.length === 0 || demands.acr.some((value) => value === acr)) &&
    (demands.amr.length === 0 || demands.amr.some((value) => methods.includes(value)));
  if (!isConfirmed) {
    throw new ProviderRefusal('factors', { acr, amr });
  }
}
