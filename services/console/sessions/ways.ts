import { Problem } from '../../../platform/http/problem.ts';
import { found } from '../../../platform/http/success.ts';
import { BEGIN } from '../oidc/paths.ts';
import type { SignInWays } from '../serving/console-parts.ts';
import { objectOf } from '../serving/schemas.ts';
import { visitorRoute } from '../serving/visitor.ts';

const WAYS = objectOf({
  passwords: { type: 'boolean' },
  /** The address to send the browser to; null for none. */
  identity_provider: { type: ['string', 'null'] },
});

export const waysRoute = visitorRoute({
  ...{ method: 'GET', path: '/console/v1/sign-in-ways', operationId: 'getSignInWays' },
  summary: 'How one can sign in',
  scope: null,
  success: found(WAYS, 'The ways'),
  handle: async ({ context: { parts } }) => ({
    passwords: parts.ways.hasPasswords,
    identity_provider: parts.ways.hasProvider ? BEGIN : null,
  }),
});

/** @throws Problem `forbidden`. */
export function requirePasswords({ hasPasswords }: SignInWays): void {
  if (!hasPasswords) {
    throw new Problem(
      'forbidden',
      'Passwords are switched off here (CONSOLE_PASSWORDS); sign in by single sign-on, which accepts invitations too',
    );
  }
}
