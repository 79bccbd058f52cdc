import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { messageOf } from '../../../base/errors.ts';
import {
  ProviderRefusal,
  type RefusalReason,
} from '../../../domain/administration/users/provider/provider-refusal.ts';
import { signInByProvider } from '../../../domain/administration/users/provider/sign-in-by-provider.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ConsoleParts } from '../serving/console-parts.ts';
import { senderOf } from '../serving/person.ts';
import type { ErrandCookie } from './errand-cookie.ts';
import { BEGIN, CALLBACK } from './paths.ts';
import type { Provider } from './provider.ts';

export interface OidcParts {
  provider: Provider;
  errands: ErrandCookie;
  parts: Pick<
    ConsoleParts,
    'people' | 'cookie' | 'deviceCookie' | 'trustedProxies' | 'signInLimits' | 'measures'
  >;
  log: Logger;
}

/** The message of the sign-in page: `cancelled` at the provider, `failed` if it did not answer, or not well. */
type Refused = RefusalReason | 'cancelled' | 'failed';

/** Errors that the provider sends people back with, and that are no fault. */
const REFUSALS = new Map<unknown, Refused>([
  ['access_denied', 'cancelled'],
  ['unmet_authentication_requirements', 'factors'],
]);

/** Pages that browsers are sent to, and so redirects rather than JSON: leaving for the provider, and coming back. */
export function oidcPages(oidc: OidcParts): Middleware {
  const pages = new Map([
    [BEGIN, leave],
    [CALLBACK, comeBack],
  ]);
  return (koa, next) => {
    const page = pages.get(koa.path);
    if (page === undefined) {
      return next();
    }
    if (koa.method !== 'GET') {
      throw new Problem('method_not_allowed', 'Allowed methods: GET', { headers: { Allow: 'GET' } });
    }
    return page(koa, oidc);
  };
}

async function leave(koa: Context, { provider, errands, parts, log }: OidcParts): Promise<void> {
  parts.signInLimits.takeDeparture(senderOf(koa.req, parts).address);
  try {
    const { url, errand } = await provider.begin();
    koa.append('Set-Cookie', errands.set(errand));
    redirect(koa, url.href);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'Identity provider unreachable; nobody can sign in through it');
    refuse(koa, 'failed');
  }
}

/** An errand has its own budget of attempts; without one, the budget of strangers at the address counts. */
async function comeBack(koa: Context, { provider, errands, parts, log }: OidcParts): Promise<void> {
  const errand = errands.read(koa.req);
  const { address, userAgent } = senderOf(koa.req, parts);
  if (errand === null) {
    parts.signInLimits.takeOfAddress(address);
  } else {
    parts.signInLimits.takeOfAccount(`errand ${errand.state}`);
  }
  koa.append('Set-Cookie', errands.clear());
  const refusal = REFUSALS.get(koa.query['error']);
  if (refusal !== undefined) {
    refuse(koa, refusal);
    return;
  }
  try {
    const { token } = await parts.measures.signingIn('provider', async () => {
      if (errand === null) {
        throw new Error('this sign-in was not started in this browser, or it expired; try again');
      }
      const identity = await provider.finish(koa.search, errand);
      if (identity.missingClaim !== null) {
        log.warn(
          { missing_claim: identity.missingClaim },
          'Identity provider did not send OIDC_ROLE_CLAIM, so OIDC_ROLES gives no role; OIDC_SCOPES can ask for more',
        );
      }
      const requestId: string = koa.state['requestId'];
      return signInByProvider(parts.people, identity, { address, userAgent, requestId });
    });
    koa.append('Set-Cookie', parts.cookie.set(token));
    redirect(koa, '/');
  } catch (error) {
    if (error instanceof ProviderRefusal) {
      log.info(
        { ...error.said, reason: error.reason },
        'Sign-in refused: the identity provider knows this person, but no user, invitation or role matches',
      );
      refuse(koa, error.reason);
      return;
    }
    log.warn({ reason: reasonOf(error) }, 'Sign-in through the identity provider failed');
    refuse(koa, 'failed');
  }
}

function refuse(koa: Context, reason: Refused): void {
  redirect(koa, `/#/sign-in?refused=${reason}`);
}

function redirect(koa: Context, to: string): void {
  koa.status = 302;
  koa.set('Location', to);
  koa.body = null;
  koa.status = 302;
}

/** Errors of the library have the cause below, and no secret in it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${messageOf(error)}${cause}`;
}
