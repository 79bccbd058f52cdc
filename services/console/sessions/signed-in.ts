import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import { noteDevice } from '../../../domain/administration/users/sessions/known-devices.ts';
import type { SignedIn } from '../../../domain/administration/users/sessions/sign-in.ts';
import type { Success } from '../../../platform/http/success.ts';
import type { ConsoleParts } from '../serving/console-parts.ts';
import { findSession, requireSession } from '../serving/person.ts';
import { SCOPES_OF } from '../serving/role-scopes.ts';
import { inData } from '../serving/schemas.ts';
import type { Visitor } from '../serving/visitor.ts';

/** An answer that begins or ends a session, by its cookie. */
export interface WithCookies {
  body: object | null;
  cookies: string[];
}

export function answeredWithCookies(
  status: 200 | 204,
  schema: JsonSchema | null,
  description: string,
): Success<WithCookies> {
  return {
    ...{ status, description, schema: schema === null ? null : inData(schema) },
    headers: { 'Set-Cookie': 'The session, HttpOnly' },
    present: ({ body, cookies }) => ({
      headers: { 'Set-Cookie': cookies },
      ...(body === null ? {} : { body: { data: body } }),
    }),
  };
}

/**
 * Begins a session with a new token (against session fixation), and ends the browser's earlier one. The browser gets a
 * new token by which it is remembered.
 */
export async function answerSignedIn(
  { parts, device }: Visitor,
  { userId, token }: SignedIn,
): Promise<WithCookies> {
  const session = requireSession(await findSession({ token, isUse: true }, parts));
  const known = await noteDevice(parts.people, userId, device);
  return {
    body: sessionView(session, parts),
    cookies: [parts.cookie.set(token), parts.deviceCookie.set(known)],
  };
}

export function sessionView(
  { id, user_id: userId, email, name, has_password, memberships }: SessionRow,
  { idleSeconds }: Pick<ConsoleParts, 'idleSeconds'>,
) {
  return {
    user: { id: userId, email, name, has_password },
    session_id: id,
    /** Without use, after which it ends. */
    idle_seconds: idleSeconds,
    memberships: memberships.map(({ org_id: orgId, organization, role }) => ({
      organization: { id: orgId, name: organization },
      role,
      scopes: SCOPES_OF[role],
    })),
  };
}
