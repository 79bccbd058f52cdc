import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import type { Access } from '../../../platform/http/entrance.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { networkOf } from '../../../platform/rate-limit/sign-in-failures.ts';
import type { ConsoleParts } from './console-parts.ts';
import { findSession, type Sender, senderOf } from './person.ts';

/** A request that need not be signed in, or is about the own account: of no organization. */
export interface Visitor extends Sender {
  session: SessionRow | null;
  parts: ConsoleParts;
  /** Of the rate limit. */
  bucket: string;
}

export const visitorRoute = routesOf<Visitor>();

export function visitorAccess(parts: ConsoleParts): Access<Visitor, Sender> {
  return {
    credentialOf: (request) => senderOf(request, parts),
    authenticate: async (sender) => {
      const session = await findSession(sender, parts);
      const bucket = session === null ? `address:${networkOf(sender.address)}` : `user:${session.user_id}`;
      return { ...sender, session, parts, bucket };
    },
    authorize: () => {},
    callerOf: ({ session, address }): Record<string, string | number> =>
      session === null ? { remoteAddress: address } : { userId: session.user_id },
  };
}
