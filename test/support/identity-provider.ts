import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './free-port.ts';

/** What the provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** People there, by subject: what the userinfo endpoint says. */
  people: Map<string, Claims>;
  /** What ID tokens say besides, by subject. */
  inIdTokens: Map<string, Claims>;
  /** Keys that it shows in place of those that it signs with; null for its own. */
  shownKeys: object | null;
  /** Who types the right password there; null declines. */
  whoComes: string | null;
  /** How they sign in, as the ID token says. */
  how: { acr?: string; amr?: string[] };
  /** The error that it sends back who is declined with. */
  declinesBy: string;
  close(): Promise<void>;
}

/** A real OpenID Connect provider on loopback, which insists on PKCE and lets in whoever is next. */
export async function startIdentityProvider(...callbackUrls: string[]): Promise<IdentityProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const known = {
    issuer,
    clientId: 'console',
    clientSecret: 'a secret of the console',
    people: new Map(),
    inIdTokens: new Map(),
    shownKeys: null,
    whoComes: null,
    how: {},
    declinesBy: 'access_denied',
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: known.clientId, client_secret: known.clientSecret, redirect_uris: callbackUrls },
        ...{
          grant_types: ['authorization_code'],
          response_types: ['code'],
          id_token_signed_response_alg: 'ES256',
        },
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] } as never,
    cookies: { keys: ['a key of the provider'] },
    // ID tokens say more than who it is.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    acrValues: ['password', 'silver', 'gold'],
    claims: {
      openid: ['sub', 'acr', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name', 'groups'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async (use) => ({
        sub: id,
        ...(use === 'id_token' ? identityProvider.inIdTokens : identityProvider.people).get(id),
      }),
    }),
  });
  const identityProvider: IdentityProvider = {
    ...known,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (identityProvider.whoComes === null) {
      const declined = { error: identityProvider.declinesBy, error_description: 'declined' };
      return provider.interactionFinished(request, response, declined);
    }
    if (prompt.name === 'login') {
      const login = { accountId: identityProvider.whoComes, remember: false, ...identityProvider.how };
      return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
    }
    const grant = new provider.Grant({
      ...(session === undefined ? {} : { accountId: session.accountId }),
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid email profile');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  };
  const answer = provider.callback();
  const server = createServer((request, response) => {
    if (request.url === '/jwks' && identityProvider.shownKeys !== null) {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(identityProvider.shownKeys));
    } else if (request.url?.startsWith('/interaction/')) {
      void interact(request, response);
    } else {
      void answer(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return identityProvider;
}
