import type { IncomingMessage } from 'node:http';
import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import { digestsOf } from '../../../domain/administration/users/sessions/known-devices.ts';
import type { Access } from '../../../platform/http/entrance.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { networkOf } from '../../../platform/rate-limit/sign-in-failures.ts';
import type { ConsoleParts } from './console-parts.ts';
import { findSession, type Sender, senderOf } from './person.ts';

/** A request outside any organization: it needs no sign-in, or is about the caller's own account. */
export interface Visitor extends Sender {
  session: SessionRow | null;
  parts: ConsoleParts;
  /** Somebody signed in with this browser before. */
  isKnownDevice: boolean;
  /** For the rate limit. */
  bucket: string;
}

export const visitorRoute = routesOf<Visitor>();

interface VisitingSender extends Sender {
  errand: 'passwords' | 'links' | 'visits';
}

/**
 * Strangers at an address have one budget per errand, so that failed passwords do not block links; a known browser has
 * its own budget.
 */
export function visitorAccess(parts: ConsoleParts): Access<Visitor, VisitingSender> {
  return {
    credentialOf: (request) => ({ ...senderOf(request, parts), errand: errandOf(request) }),
    authenticate: async ({ errand, ...sender }) => {
      const [session, device] = await Promise.all([
        findSession(sender, parts),
        findDevice(sender.device, parts),
      ]);
      const stranger = device === null ? `${errand}:${networkOf(sender.address)}` : `device:${device}`;
      const bucket = session === null ? stranger : `user:${session.user_id}`;
      return { ...sender, session, parts, isKnownDevice: device !== null, bucket };
    },
    authorize: () => {},
    callerOf: ({ session, address }): Record<string, string | number> =>
      session === null ? { remoteAddress: address } : { userId: session.user_id },
  };
}

function errandOf({ method, url = '' }: IncomingMessage): VisitingSender['errand'] {
  if (url.startsWith('/console/v1/links/')) {
    return 'links';
  }
  return method === 'POST' && url === '/console/v1/session' ? 'passwords' : 'visits';
}

async function findDevice(cookie: string | null, { findDevice: find }: ConsoleParts): Promise<string | null> {
  const found = await Promise.all(digestsOf(cookie).map(find));
  return found.find((digest) => digest !== null) ?? null;
}
