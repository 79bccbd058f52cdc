import type { IncomingMessage } from 'node:http';
import type { SessionMembership } from '../../../domain/administration/users/sessions/find-sessions.ts';
import type { Access } from '../../../platform/http/entrance.ts';
import { organizationMoves, Problem } from '../../../platform/http/problem.ts';
import { contextOf } from '../../api/entry.ts';
import type { ConsoleParts } from '../serving/console-parts.ts';
import type { ConsoleContext } from '../serving/context.ts';
import { findSession, requireSession, type Sender, senderOf, signedOut } from '../serving/person.ts';
import { SCOPES_OF } from '../serving/role-scopes.ts';

export interface MemberCredential extends Sender {
  /** As it was sent; null for the only one, or the first. */
  organization: string | null;
}

export function memberAccess(parts: ConsoleParts): Access<ConsoleContext, MemberCredential> {
  return {
    credentialOf: (request) => {
      const sender = senderOf(request, parts);
      if (sender.token === null) {
        throw signedOut();
      }
      return { ...sender, organization: organizationOf(request) };
    },
    authenticate: (credential) => authenticate(credential, parts),
    authorize: ({ scopes, role }, { scope }) => {
      if (scope !== null && !scopes.includes(scope)) {
        throw new Problem(
          'forbidden',
          `Your role, ${role}, does not allow this (${scope}); ask an administrator`,
        );
      }
    },
    callerOf: ({ db, session }) => ({ orgId: db.orgId, userId: session.user_id }),
  };
}

async function authenticate(credential: MemberCredential, parts: ConsoleParts): Promise<ConsoleContext> {
  const { organization, ...sender } = credential;
  const session = requireSession(await findSession(sender, parts));
  const { org_id: orgId, role, is_held: isHeld } = membershipOf(session.memberships, organization);
  if (isHeld) {
    throw organizationMoves({ orgId, userId: session.user_id });
  }
  const context = contextOf(
    parts.serving,
    {
      ...{ orgId, orgIsDeleted: false, scopes: SCOPES_OF[role] },
      actor: { type: 'user', id: String(session.user_id) },
    },
    { orgId, userId: session.user_id },
  );
  return { ...context, session, role, sender, parts, bucket: `user:${session.user_id}` };
}

/** One answer for an organization of others and for none: ids of others stay unknown. */
function membershipOf(memberships: readonly SessionMembership[], wanted: string | null): SessionMembership {
  const membership =
    wanted === null ? memberships[0] : memberships.find(({ org_id: id }) => String(id) === wanted);
  if (membership === undefined) {
    throw new Problem(
      'forbidden',
      wanted === null
        ? 'You are a member of no organization; ask an administrator for an invitation'
        : 'You are not a member of that organization',
    );
  }
  return membership;
}

/** No EventSource, link or image can send a header. */
function organizationOf({ headers, url = '' }: IncomingMessage): string | null {
  const given = headers['x-tagtrail-organization'];
  if (typeof given === 'string') {
    return given;
  }
  const query = url.indexOf('?');
  return query === -1 || !HAS_NO_HEADER.test(url)
    ? null
    : new URLSearchParams(url.slice(query)).get('organization');
}

const HAS_NO_HEADER = /^\/console\/v1\/(events|exports\/[a-z]+|plans\/\d+\/image|readers\/\d+\/listen)\?/;
