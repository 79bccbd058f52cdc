import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type CustomFetchOptions,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration as ProviderConfiguration,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { ProviderRefusal } from '../../../domain/administration/users/provider/provider-refusal.ts';
import type { ProviderIdentity } from '../../../domain/administration/users/provider/sign-in-by-provider.ts';
import { isAtLeast, type Role } from '../../../domain/administration/users/roles.ts';
import type { MappedRole } from './settings.ts';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The console's address, to which the provider sends people back. */
  callbackUrl: string;
  /** Asked for beside those that every provider has. */
  scopes: readonly string[];
  roleClaim: string;
  roles: readonly MappedRole[];
  demands: Demands;
}

/** The browser's secret between leaving for the provider and coming back. */
export interface Errand {
  state: string;
  nonce: string;
  verifier: string;
}

const SCOPES = ['openid', 'email', 'profile'];
/** Seconds for an answer of the provider. */
const PATIENCE = 10;
/** Bytes of an answer: metadata, keys, tokens or statements about a person. Parsing more would hold others up. */
const MOST = 1_048_576;

/** An OpenID Connect provider: code flow with PKCE, state and nonce. */
export class Provider {
  readonly #settings: ProviderSettings;
  #known: Promise<ProviderConfiguration> | null = null;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /**
   * The address for signing in.
   *
   * @throws an error of the library if the provider is unreachable.
   */
  async begin(): Promise<{ url: URL; errand: Errand }> {
    const errand = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#settings.callbackUrl,
      scope: [...new Set([...SCOPES, ...this.#settings.scopes])].join(' '),
      state: errand.state,
      nonce: errand.nonce,
      code_challenge: await calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: 'S256',
      ...(this.#settings.demands.acr.length === 0
        ? {}
        : { acr_values: this.#settings.demands.acr.join(' ') }),
    });
    return { url, errand };
  }

  /**
   * Identifies the person who came back.
   *
   * @param query as the provider sent the browser with.
   * @throws ProviderRefusal if it is not confirmed that they signed in as is demanded; an error of the library if the
   * answer is not one to the errand, or the provider refuses it.
   */
  async finish(query: string, { state, nonce, verifier }: Errand): Promise<ProviderIdentity> {
    const configuration = await this.#configuration();
    const url = new URL(this.#settings.callbackUrl);
    url.search = query;
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) {
      throw new Error('the identity provider sent no ID token');
    }
    requireFactors(claims, this.#settings.demands);
    // Some providers tell e-mail and groups there only.
    const more =
      configuration.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return identityOf(claims, more, this.#settings);
  }

  /** Asked for when it is first needed, and again after a failure: the console does not wait for the provider. */
  #configuration(): Promise<ProviderConfiguration> {
    this.#known ??= this.#discover().catch((error: unknown) => {
      this.#known = null;
      throw error;
    });
    return this.#known;
  }

  #discover(): Promise<ProviderConfiguration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.startsWith('http:');
    return discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: PATIENCE,
      [customFetch]: fetchWhole,
      // ID tokens are good by the provider's keys, not only because they came over a connection to its address.
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
  }
}

/** Reads the answer's body, too. @throws Error if that is too large. */
async function fetchWhole(url: string, options: CustomFetchOptions): Promise<Response> {
  const { status, headers, body } = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST) {
      throw new Error(`the identity provider's answer has more than ${MOST / 1_048_576} MiB`);
    }
    chunks.push(chunk);
  }
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}

/** The required method of sign-in in an ID token: one value of each list that has any. */
interface Demands {
  readonly acr: readonly string[];
  readonly amr: readonly string[];
}

/**
 * A provider may ignore the request for factors (OpenID Connect Core 3.1.2.1), so only its answer counts.
 *
 * @param idToken the only part of the answer that is signed and about this sign-in.
 * @throws ProviderRefusal `factors`, with its claims.
 */
function requireFactors(idToken: Readonly<Record<string, unknown>>, demands: Demands): void {
  const { acr, amr } = idToken;
  const methods = Array.isArray(amr) ? amr : [amr];
  const isConfirmed =
    (demands.acr.length === 0 || demands.acr.some((value) => value === acr)) &&
    (demands.amr.length === 0 || demands.amr.some((value) => methods.includes(value)));
  if (!isConfirmed) {
    throw new ProviderRefusal('factors', { acr, amr });
  }
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * The provider's statements about a person, in the ID token and, where that does not say it, at its userinfo endpoint.
 *
 * @param idToken checked.
 * @param userinfo of the same subject.
 */
function identityOf(
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
    missingClaim: roles.length > 0 && claims[roleClaim] === undefined ? roleClaim : null,
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
