import type { IncomingMessage } from 'node:http';
import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import { digestOfToken } from '../../../domain/administration/users/tokens.ts';
import type { UserActor } from '../../../domain/changes/actor.ts';
import { clientAddress } from '../../../platform/http/client-address.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ConsoleParts } from './console-parts.ts';

/** Where a request comes from. */
export interface Sender {
  /** Null without a cookie. */
  token: string | null;
  /** The cookie of a browser that somebody has signed in with; null without. */
  device: string | null;
  address: string;
  userAgent: string;
  /** The browser's origin; for a write, the console's own address. */
  origin: string | null;
  /** Whether a person made the request: false for an open page's own requests, which must not keep a session alive. */
  isUse: boolean;
}

export function senderOf(
  request: IncomingMessage,
  { cookie, deviceCookie, trustedProxies }: Pick<ConsoleParts, 'cookie' | 'deviceCookie' | 'trustedProxies'>,
): Sender {
  return {
    token: cookie.read(request),
    device: deviceCookie.read(request),
    address: clientAddress(request, trustedProxies),
    userAgent: request.headers['user-agent'] ?? '',
    origin: request.headers.origin ?? null,
    isUse: !isByItself(request),
  };
}

/** Streams reconnect by themselves, and pages say when nobody has touched them for a while. */
function isByItself({ headers }: IncomingMessage): boolean {
  return headers['x-tagtrail-idle'] === '1' || headers.accept?.includes('text/event-stream') === true;
}

/** The session of a token; null if it has ended, or never began. */
export async function findSession(
  { token, isUse }: Pick<Sender, 'token' | 'isUse'>,
  { sessions, usage }: Pick<ConsoleParts, 'sessions' | 'usage'>,
): Promise<SessionRow | null> {
  const digest = token === null ? null : digestOfToken(token);
  const known = digest === null ? null : await sessions.get(digest);
  if (known === null || performance.now() >= known.expiresAtMs) {
    return null;
  }
  if (isUse) {
    usage.note(String(known.row.id));
  }
  return known.row;
}

/** @throws Problem `unauthorized`. */
export function requireSession(session: SessionRow | null): SessionRow {
  if (session === null) {
    throw signedOut();
  }
  return session;
}

export function signedOut(detail = 'Not signed in, or no longer'): Problem {
  return new Problem('unauthorized', detail, { headers: { 'WWW-Authenticate': 'Session realm="tagtrail"' } });
}

export function actorOfUser({ user_id: id }: SessionRow, requestId: string): UserActor {
  return { type: 'user', id: String(id), requestId };
}
