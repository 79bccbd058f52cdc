import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import type { Change } from '../../../changes/make-change.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import type { UserRow } from '../stored-user.ts';
import { newToken } from '../tokens.ts';

/** The address and browser of a sign-in; shown in the list of sessions. */
export interface SessionPlace {
  address: string;
  userAgent: string;
}

export type SignInMeans = 'password' | 'link' | 'identity_provider';

/** Whole life of a session, however much it is used. */
export const SESSION_SECONDS = 7 * 86_400;

/** Per user; the one unused for longest goes first. */
const MOST_SESSIONS = 50;

/** Call with the user locked, and known not to be disabled. The token is the only copy. */
export async function beginSession(
  change: Change,
  user: Pick<UserRow, 'id' | 'email'>,
  { address, userAgent, by }: SessionPlace & { by: SignInMeans },
): Promise<{ id: number; token: string; entries: ChangeEntry[] }> {
  const { token, digest } = newToken();
  await change.exec(sql.prepared('delete-surplus-sessions', NO_ROWS)`
    delete from sessions where id in (
      select id from sessions where user_id = ${user.id} order by used_at desc, id desc offset ${MOST_SESSIONS - 1}
    )`);
  const { id } = await change.one(sql.prepared('insert-session', rowsOf<{ id: number }>())`
    insert into sessions (digest, user_id, ends_at, address, user_agent)
    values (decode(${digest}, 'hex'), ${user.id}, now() + make_interval(secs => ${SESSION_SECONDS}),
      ${storable(address, 100)}, ${storable(userAgent, 255)})
    returning id`);
  const entries = forEach(await organizationsOf(change, user.id), {
    action: 'sign_in',
    resource: { type: 'session', id, externalKey: user.email },
    before: null,
    after: { user_id: user.id, address: storable(address, 100), by },
  });
  return { id, token, entries };
}

/** Strangers' text, made acceptable to the database. */
function storable(text: string, most: number): string {
  return [
    ...text
      .slice(0, 2 * most)
      .toWellFormed()
      .replaceAll('\u0000', '\uFFFD'),
  ]
    .slice(0, most)
    .join('');
}
