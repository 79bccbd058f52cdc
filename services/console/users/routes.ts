import { setDisabled } from '../../../domain/administration/users/accounts/set-disabled.ts';
import { removeMembership, setRole } from '../../../domain/administration/users/accounts/set-role.ts';
import {
  listInvitations,
  withdrawInvitation,
} from '../../../domain/administration/users/links/invitations.ts';
import { invite, linkAddress, makeResetLink } from '../../../domain/administration/users/links/make-link.ts';
import { type ListedUser, listPageOfUsers } from '../../../domain/administration/users/list-users.ts';
import { findRole } from '../../../domain/administration/users/memberships.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found, listed, noContent } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { withFields } from '../serving/measures.ts';
import { actorOfUser } from '../serving/person.ts';
import { INVITATION, invitationBody, MADE_INVITATION, RESET_LINK, USER, userPatchBody } from './schema.ts';

const ONE_USER = {
  params: { user_id: idInPath },
  find: {
    missing: 'User not found',
    row: ({ context, params }: { context: ConsoleContext; params: { user_id: number } }) =>
      findRole(context.parts.people.of(context.db.orgId), params.user_id, context.db.orgId),
  },
} as const;

const PROBLEMS = {
  conflict: 'The organization would have no administrator any more, or the user is disabled',
};

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/users', operationId: 'listUsers' },
  summary: 'The members of the organization, by e-mail address',
  ...{ scope: 'users:admin', query: { parameters: PAGING } },
  success: listed(USER, 'A page of members'),
  handle: async ({ context: { db, parts }, query }) =>
    listBody(await listPageOfUsers(parts.people.of(db.orgId), db.orgId, query), query, userView),
});

const change = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/users/{user_id}', operationId: 'updateUser' },
  summary: 'Change what a member may do, disable or enable the user',
  ...{ scope: 'users:admin', ...ONE_USER },
  body: userPatchBody,
  success: noContent('Changed, from the next request on'),
  problems: {
    ...PROBLEMS,
    forbidden: 'Not an administrator, or the user is a member of other organizations too',
  },
  handle: async ({ context, params: { user_id: userId }, body, requestId }) => {
    const { orgId } = context.db;
    const { role, is_disabled: isDisabled } = body.against({});
    const people = context.parts.people.of(orgId);
    const actor = actorOfUser(context.session, requestId);
    if (role !== undefined) {
      await setRole(people, actor, { userId, orgId, role });
    }
    if (isDisabled !== undefined) {
      await setDisabled(people, actor, { userId, orgId, isDisabled });
    }
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/users/{user_id}', operationId: 'removeUser' },
  summary: 'End a membership; the user stays, perhaps elsewhere',
  ...{ scope: 'users:admin', ...ONE_USER },
  success: noContent('No member any more'),
  problems: PROBLEMS,
  handle: async ({ context, params: { user_id: userId }, requestId }) => {
    const { parts, session } = context;
    const { orgId } = context.db;
    await removeMembership(parts.people.of(orgId), actorOfUser(session, requestId), { userId, orgId });
  },
});

const reset = memberRoute({
  ...{ method: 'POST', path: '/console/v1/users/{user_id}/reset-link', operationId: 'makeResetLink' },
  summary: 'A link by which a user sets another password, within a day',
  ...{ scope: 'users:admin', ...ONE_USER },
  success: found(RESET_LINK, 'The link, shown this once'),
  problems: {
    ...PROBLEMS,
    forbidden:
      'Not an administrator, or the user is a member of other organizations too, or signs in by single sign-on only',
  },
  handle: async ({ context, params: { user_id: userId }, requestId }) => {
    const { parts, session } = context;
    const { orgId } = context.db;
    const actor = actorOfUser(session, requestId);
    const { id, token, expires_at } = await makeResetLink(parts.people.of(orgId), actor, { userId, orgId });
    return { id, url: addressOf(context, token), expires_at };
  },
});

const invitations = memberRoute({
  ...{ method: 'GET', path: '/console/v1/invitations', operationId: 'listInvitations' },
  summary: 'Open invitations, newest first',
  ...{ scope: 'users:admin', query: { parameters: PAGING } },
  success: listed(INVITATION, 'A page of invitations, without their links'),
  handle: async ({ context: { db, parts }, query }) =>
    listBody(await listInvitations(parts.people.of(db.orgId), db.orgId, query), query, (row) => row),
});

const inviteOne = memberRoute({
  ...{ method: 'POST', path: '/console/v1/invitations', operationId: 'createInvitation' },
  summary: 'Invite somebody, within a week',
  scope: 'users:admin',
  body: invitationBody,
  success: found(MADE_INVITATION, 'The invitation with its link, shown this once'),
  problems: { conflict: 'A member already, or too many invitations are open' },
  handle: async ({ context, body: { email, role }, requestId }) => {
    const { parts, session } = context;
    const { orgId } = context.db;
    const actor = actorOfUser(session, requestId);
    const made = await withFields(() => invite(parts.people.of(orgId), actor, { orgId, email, role }));
    const { id, token, expires_at } = made;
    return { id, email: email.trim().toLowerCase(), role, url: addressOf(context, token), expires_at };
  },
});

const withdraw = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/invitations/{invitation_id}', operationId: 'withdrawInvitation' },
  summary: 'Have an invitation be good no more',
  ...{ scope: 'users:admin', params: { invitation_id: idInPath } },
  success: noContent('Withdrawn'),
  problems: { not_found: 'Invitation not found' },
  handle: async ({ context: { db, parts, session }, params: { invitation_id: id }, requestId }) => {
    const { orgId } = db;
    await withdrawInvitation(parts.people.of(orgId), actorOfUser(session, requestId), { orgId, id });
  },
});

/** The origin of a write was compared with the console's own before. */
function addressOf({ parts, sender }: ConsoleContext, token: string): string {
  return linkAddress(parts.publicUrl ?? sender.origin ?? '', token);
}

function userView({ memberships, ...user }: ListedUser) {
  return { ...user, role: memberships[0]?.role };
}

export const userRoutes = [list, change, remove, reset, invitations, inviteOne, withdraw];
