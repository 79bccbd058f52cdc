import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { SignedIn } from '../../../domain/administration/users/sessions/sign-in.ts';
import type { Headers } from '../../../platform/http/problem.ts';
import type { Success } from '../../../platform/http/success.ts';
import { findSession, requireSession } from '../serving/person.ts';
import { inData } from '../serving/schemas.ts';
import type { Visitor } from '../serving/visitor.ts';
import { sessionView } from './view.ts';

/** An answer that begins or ends a session, by its cookie. */
export interface WithCookie {
  body: object | null;
  cookie: Headers;
}

export function answeredWithCookie(
  status: 200 | 204,
  schema: JsonSchema | null,
  description: string,
): Success<WithCookie> {
  return {
    ...{ status, description, schema: schema === null ? null : inData(schema) },
    headers: { 'Set-Cookie': 'The session, HttpOnly' },
    present: ({ body, cookie }) => ({ headers: cookie, ...(body === null ? {} : { body: { data: body } }) }),
  };
}

/** The new session, which never has the token that the browser came with (session fixation); that one ends. */
export async function answerSignedIn({ parts }: Visitor, { token }: SignedIn): Promise<WithCookie> {
  const session = requireSession(await findSession({ token, isUse: true }, parts));
  return { body: sessionView(session), cookie: parts.cookie.set(token) };
}
