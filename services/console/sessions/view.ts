import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import type { ConsoleParts } from '../serving/console-parts.ts';
import { SCOPES_OF } from '../serving/role-scopes.ts';

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
