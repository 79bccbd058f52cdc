import { AppError } from '../../../base/errors.ts';
import { changePassword } from '../../../domain/administration/users/accounts/change-password.ts';
import { endSession } from '../../../domain/administration/users/sessions/end-session.ts';
import { listSessions } from '../../../domain/administration/users/sessions/find-sessions.ts';
import { signIn } from '../../../domain/administration/users/sessions/sign-in.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found, noContent } from '../../../platform/http/success.ts';
import { withFields } from '../serving/measures.ts';
import { actorOfUser, requireSession, signedOut } from '../serving/person.ts';
import { listOf } from '../serving/schemas.ts';
import { type Visitor, visitorRoute } from '../serving/visitor.ts';
import { takeAttempt } from './attempts.ts';
import { LISTED_SESSION, passwordBody, SESSION, signInBody } from './schema.ts';
import { answeredWithCookies, answerSignedIn, sessionView } from './signed-in.ts';
import { requirePasswords, waysRoute } from './ways.ts';

const read = visitorRoute({
  ...{ method: 'GET', path: '/console/v1/session', operationId: 'getSession' },
  summary: 'Who is signed in, and where a member',
  scope: null,
  success: found(SESSION, 'The session'),
  handle: async ({ context: { session, parts } }) => sessionView(requireSession(session), parts),
});

const begin = visitorRoute({
  ...{ method: 'POST', path: '/console/v1/session', operationId: 'beginSession' },
  summary: 'Sign in',
  scope: null,
  body: signInBody,
  success: answeredWithCookies(200, SESSION, 'The session'),
  handle: async ({ context, body: { email, password }, requestId }) => {
    const { parts, address, userAgent } = context;
    requirePasswords(parts.ways);
    const signedIn = await parts.measures.signingIn('password', async () => {
      const turn = await takeAttempt(context, email);
      const place = { address, userAgent, requestId, turn };
      const accepted = await signIn(parts.people, { email, password, ...place }, (userId) =>
        parts.refusedSignIns.note({
          ...{ kind: 'user', address, isKnown: userId !== null },
          name: userId === null ? '' : String(userId),
        }),
      );
      if (accepted === null) {
        throw signedOut('The e-mail address or the password is wrong');
      }
      return accepted;
    });
    await endEarlier(context, requestId);
    return answerSignedIn(context, signedIn);
  },
});

const end = visitorRoute({
  ...{ method: 'DELETE', path: '/console/v1/session', operationId: 'endSession' },
  summary: 'Sign out',
  scope: null,
  success: answeredWithCookies(204, null, 'Signed out, also if it was so before'),
  handle: async ({ context, requestId }) => {
    await endEarlier(context, requestId);
    return { body: null, cookies: [context.parts.cookie.clear()] };
  },
});

const list = visitorRoute({
  ...{ method: 'GET', path: '/console/v1/sessions', operationId: 'listSessions' },
  summary: 'Where the user is signed in',
  scope: null,
  success: found(listOf(LISTED_SESSION), 'The sessions, the one used last first'),
  handle: async ({ context }) => {
    const { id: own, user_id: userId } = requireSession(context.session);
    const { people, idleSeconds } = context.parts;
    const rows = await listSessions(people, userId, idleSeconds);
    return rows.map(({ id, ...row }) => ({ id, is_this: id === own, ...row }));
  },
});

const endOne = visitorRoute({
  ...{ method: 'DELETE', path: '/console/v1/sessions/{id}', operationId: 'endOneSession' },
  summary: 'Sign out elsewhere',
  scope: null,
  params: { id: idInPath },
  success: noContent('The session has ended'),
  problems: { not_found: 'Session not found' },
  handle: async ({ context, params: { id }, requestId }) => {
    const session = requireSession(context.session);
    const { people } = context.parts;
    await endSession(people, actorOfUser(session, requestId), { userId: session.user_id, sessionId: id });
  },
});

const password = visitorRoute({
  ...{ method: 'POST', path: '/console/v1/password', operationId: 'changePassword' },
  summary: 'Change the own password; every other session ends',
  scope: null,
  body: passwordBody,
  success: noContent('The password is changed'),
  handle: async ({ context, body, requestId }) => {
    const session = requireSession(context.session);
    const { parts } = context;
    requirePasswords(parts.ways);
    // Counted by session, so that strangers who fail to sign in keep nobody from it.
    parts.signInLimits.takeOfAccount(`session ${session.id}`);
    await withFields(() =>
      changePassword(parts.people, actorOfUser(session, requestId), {
        ...{ userId: session.user_id, sessionId: session.id },
        ...{ currentPassword: body.current_password, password: body.password },
      }),
    );
  },
});

/** Ends the session that the browser came with. */
export async function endEarlier({ session, parts }: Visitor, requestId: string): Promise<void> {
  if (session !== null) {
    const own = { userId: session.user_id, sessionId: session.id };
    await endSession(parts.people, actorOfUser(session, requestId), own).catch((error) => {
      if (!(error instanceof AppError && error.code === 'not_found')) {
        throw error;
      }
    });
  }
}

export const sessionRoutes = [waysRoute, read, begin, end, list, endOne, password];
