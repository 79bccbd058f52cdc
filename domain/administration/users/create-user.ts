import { AppError } from '../../../base/errors.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import { requireLiveOrganization } from '../organizations/live-organization.ts';
import { insertMembership } from './memberships.ts';
import type { Role } from './roles.ts';
import { emailOf, nameOf } from './user-fields.ts';

export interface NewUser {
  email: string;
  /** 1 to 255 characters. */
  name: string;
  /** Null for a user of no organization yet. */
  membership: { orgId: number; role: Role } | null;
}

/**
 * A user without a password, who sets one by a link (`makeResetLink`).
 *
 * @throws UserFault, AppError `conflict` (e-mail), `not_found` (organization).
 */
export function createUser(
  db: Database,
  actor: Actor,
  { email: givenEmail, name: givenName, membership }: NewUser,
): Promise<{ id: number; email: string; name: string }> {
  const [email, name] = [emailOf(givenEmail), nameOf(givenName)];
  return makeChange(db, actor, async (change) => {
    if (membership !== null) {
      await requireLiveOrganization(change, membership.orgId);
    }
    const { id, entry } = await insertUser(
      change,
      { email, name, password: null },
      membership?.orgId ?? null,
    );
    const joined = membership === null ? [] : [await insertMembership(change, { id, email }, membership)];
    return changed({ id, email, name }, [entry, ...joined]);
  });
}

/**
 * @param user `id` where it was drawn before (`drawUserId`). `password` is a hash.
 * @param orgId where it is logged.
 * @throws AppError `conflict` if there is a user with the e-mail address.
 */
export async function insertUser(
  change: Change,
  { id, email, name, password }: { id?: number; email: string; name: string; password: string | null },
  orgId: number | null,
): Promise<{ id: number; entry: ChangeEntry }> {
  const own = id === undefined ? sql.fragment`default` : sql.fragment`${id}::integer`;
  const row = await change.maybeOne(sql.type(rowsOf<{ id: number }>())`
    insert into users (id, email, name, password) values (${own}, ${email}, ${name}, ${password})
    on conflict (email) do nothing returning id`);
  if (row === null) {
    throw new AppError('conflict', `There is a user ${email} already`);
  }
  return {
    id: row.id,
    entry: {
      orgId,
      action: 'create',
      resource: { type: 'user', id: row.id, externalKey: email },
      before: null,
      after: { email, name },
    },
  };
}

/** For a user who creates the own account. */
export async function drawUserId(db: Database): Promise<number> {
  const { id } = await db.one(
    sql.type(rowsOf<{ id: number }>())`select nextval('users_id_seq')::integer as id`,
  );
  return id;
}
