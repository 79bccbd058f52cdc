import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration as ProviderConfiguration,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { ProviderIdentity } from '../../../domain/administration/users/provider/sign-in-by-provider.ts';
import { type Demands, requireFactors } from './factors.ts';
import { identityOf } from './identity.ts';
import type { MappedRole } from './settings.ts';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Of the console, where the provider sends people back to. */
  callbackUrl: string;
  roleClaim: string;
  roles: readonly MappedRole[];
  demands: Demands;
}

/** What the browser keeps between leaving for the provider and coming back, and nobody else knows. */
export interface Errand {
  state: string;
  nonce: string;
  verifier: string;
}

const SCOPE = 'openid email profile';
/** Seconds for an answer of the provider. */
const PATIENCE = 10;

/** An OpenID Connect provider: code flow with PKCE, state and nonce. */
export class Provider {
  readonly #settings: ProviderSettings;
  #known: Promise<ProviderConfiguration> | null = null;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** Where to send somebody who wants to sign in. @throws an error of the library if the provider is out of reach. */
  async begin(): Promise<{ url: URL; errand: Errand }> {
    const errand = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#settings.callbackUrl,
      scope: SCOPE,
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
   * Who came back.
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
      // ID tokens are good by the provider's keys, not only because they came over a connection to its address.
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
  }
}
