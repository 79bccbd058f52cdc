import { wireTime } from '../../../../base/timestamps.ts';
import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { Role } from '../roles.ts';

interface SessionUse {
  id: number;
  secondsAgo: number;
}

/** Seconds between two records of a use. */
const WRITTEN_EVERY_SECONDS = 60;

export interface SessionMembership {
  org_id: number;
  organization: string;
  role: Role;
  /** It moves to another cell, or has moved. */
  is_held: boolean;
}

/** A session with its user, for the credential cache. */
export interface SessionRow {
  /** Until it ends, or has been idle for too long; by the database's clock. */
  seconds_left: number;
  id: number;
  user_id: number;
  email: string;
  name: string;
  has_password: boolean;
  /** Live organizations, and then held ones, by id. */
  memberships: SessionMembership[];
}

/**
 * Valid sessions, by the digest of their token (`digestOfToken`). Absent: ended, idle for too long, or of a disabled
 * user.
 *
 * @param idleSeconds a session unused for this long has ended.
 */
export async function findSessions(
  db: Connection,
  digests: readonly string[],
  idleSeconds: number,
): Promise<ReadonlyMap<string, SessionRow>> {
  const rows = await db.any(sql.prepared('find-sessions', rowsOf<SessionRow & { digest: string }>())`
    select encode(session.digest, 'hex') as digest, session.id, session.user_id, account.email, account.name,
      account.password is not null as has_password,
      extract(epoch from least(
        session.ends_at, session.used_at + make_interval(secs => ${idleSeconds})
      ) - clock_timestamp())::double precision as seconds_left,
      coalesce((
        select json_agg(json_build_object(
          'org_id', membership.org_id, 'organization', organization.name, 'role', membership.role,
          'is_held', organization.held_at is not null
        ) order by organization.held_at is not null, membership.org_id)
        from memberships membership
        join organizations organization on organization.id = membership.org_id
          and (organization.deleted_at is null or organization.held_at is not null)
        where membership.user_id = session.user_id
      ), '[]')::jsonb as memberships
    from sessions session
    join users account on account.id = session.user_id and not account.is_disabled
    where session.digest = any(array(select decode(given, 'hex') from unnest(${sql.array(digests, 'text')}) as given))
      and session.ends_at > clock_timestamp()
      and session.used_at > clock_timestamp() - make_interval(secs => ${idleSeconds})`);
  return new Map(rows.map(({ digest, ...row }) => [digest, row]));
}

interface ListedSession {
  id: number;
  began_at: string;
  /** To within a minute. */
  used_at: string;
  ends_at: string;
  address: string;
  user_agent: string;
}

/** A user's sessions that last, the one used last first; a bounded number. */
export async function listSessions(
  db: Connection,
  userId: number,
  idleSeconds: number,
): Promise<ListedSession[]> {
  const rows = await db.any(sql.prepared('list-sessions', rowsOf<ListedSession>())`
    select id, began_at, used_at, ends_at, address, user_agent from sessions
    where user_id = ${userId} and ends_at > now() and used_at > now() - make_interval(secs => ${idleSeconds})
    order by used_at desc, id desc`);
  return rows.map((row) => ({
    ...row,
    began_at: wireTime(row.began_at),
    used_at: wireTime(row.used_at),
    ends_at: wireTime(row.ends_at),
  }));
}

/** Sessions that last, of all users. */
export async function countSessions(db: Connection, idleSeconds: number): Promise<number> {
  const { sessions } = await db.one(sql.prepared('count-sessions', rowsOf<{ sessions: number }>())`
    select count(*)::int as sessions from sessions
    where ends_at > now() and used_at > now() - make_interval(secs => ${idleSeconds})`);
  return sessions;
}

/** Prolongs sessions that were used. Locks them by id, so that processes writing the same ones do not deadlock. */
export async function noteSessionUses(db: Connection, uses: readonly SessionUse[]): Promise<void> {
  await db.exec(sql.prepared('note-session-uses', NO_ROWS)`
    with used as (
      select session.id, now() - make_interval(secs => given.seconds_ago) as used_at
      from unnest(
        ${sql.array(
          uses.map(({ id }) => id),
          'int8',
        )},
        ${sql.array(
          uses.map(({ secondsAgo }) => secondsAgo),
          'float8',
        )}
      ) as given (id, seconds_ago)
      join sessions session on session.id = given.id
      where session.used_at < now() - make_interval(secs => given.seconds_ago + ${WRITTEN_EVERY_SECONDS})
      order by session.id
      for no key update of session
    )
    update sessions session set used_at = greatest(session.used_at, used.used_at) from used where session.id = used.id`);
}
