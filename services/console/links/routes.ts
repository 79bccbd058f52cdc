import { acceptLink } from '../../../domain/administration/users/links/accept-link.ts';
import { lookAtLink, type OpenLink } from '../../../domain/administration/users/links/open-link.ts';
import { found } from '../../../platform/http/success.ts';
import { withFields } from '../serving/measures.ts';
import { visitorRoute } from '../serving/visitor.ts';
import { takeAttemptByLink } from '../sessions/attempts.ts';
import { endEarlier } from '../sessions/routes.ts';
import { SESSION } from '../sessions/schema.ts';
import { answeredWithCookies, answerSignedIn } from '../sessions/signed-in.ts';
import { requirePasswords } from '../sessions/ways.ts';
import { acceptBody, LINK, lookBody } from './schema.ts';

const GONE = { not_found: 'The link has expired, was used or withdrawn, or never was' };

const look = visitorRoute({
  ...{ method: 'POST', path: '/console/v1/links/look', operationId: 'lookAtLink' },
  summary: 'What a link is for; it stays good',
  scope: null,
  body: lookBody,
  success: found(LINK, 'The link'),
  problems: GONE,
  handle: async ({ context: { parts }, body: { token } }) => linkView(await lookAtLink(parts.people, token)),
});

const accept = visitorRoute({
  ...{ method: 'POST', path: '/console/v1/links/accept', operationId: 'acceptLink' },
  summary: 'Use a link up, and be signed in',
  scope: null,
  body: acceptBody,
  success: answeredWithCookies(200, SESSION, 'The session'),
  problems: { ...GONE, conflict: 'It is not good for this account, or others were faster' },
  handle: async ({ context, body, requestId }) => {
    const { token, email, name, password, new_password: newPassword } = body;
    const { parts, address, userAgent, session } = context;
    const signedIn = await withFields(() =>
      parts.measures.signingIn('link', async () => {
        const link = await lookAtLink(parts.people, token);
        parts.signInLimits.takeOfAccount(`link ${link.id}`);
        // The first administrator is let in all the same: until then nobody could make a user for single sign-on.
        if ((password ?? newPassword) !== undefined && link.purpose !== 'first') {
          requirePasswords(parts.ways);
        }
        const isSignedIn = session !== null && session.user_id === link.user_id;
        if (link.purpose === 'invite' && newPassword !== undefined && !isSignedIn) {
          await takeAttemptByLink(context, link.email ?? '');
        }
        return acceptLink(parts.people, {
          ...{ token, address, userAgent, requestId },
          ...(email === undefined ? {} : { email }),
          ...(name === undefined ? {} : { name }),
          ...(password === undefined ? {} : { password }),
          ...(newPassword === undefined ? {} : { newPassword }),
          ...(session === null ? {} : { userId: session.user_id }),
        });
      }),
    );
    await endEarlier(context, requestId);
    return answerSignedIn(context, signedIn);
  },
});

function linkView({ purpose, org_id, organization, email, role, expires_at }: OpenLink) {
  return {
    ...{ purpose, email, role, expires_at },
    organization: org_id === null ? null : { id: org_id, name: organization ?? '' },
  };
}

export const linkRoutes = [look, accept];
