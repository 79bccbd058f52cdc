import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Role } from './roles.ts';

export interface ListedUser {
  id: number;
  email: string;
  name: string;
  is_disabled: boolean;
  has_password: boolean;
  created_at: string;
  /** Time of the session used last; null if none is valid. */
  last_used_at: string | null;
  /** In one organization's list: only the membership there. */
  memberships: { org_id: number; role: Role }[];
}

/** Every user of the installation, or of one organization, by e-mail address. */
export async function listUsers(db: Connection, orgId: number | null): Promise<ListedUser[]> {
  const rows = await db.any(sql.type(rowsOf<ListedUser>())`
    select ${columns(orgId)} from users account where ${isOf(orgId)} order by email`);
  return rows.map(asListed);
}

/** A page of an organization's users, by e-mail address. */
export async function listPageOfUsers(
  db: Connection,
  orgId: number,
  { limit, offset }: Paging,
): Promise<Page<ListedUser>> {
  const rows = await db.any(sql.prepared('list-users', rowsOf<ListedUser & { total_count: number }>())`
    select total.total_count, page.*
    from (select count(*) as total_count from memberships where org_id = ${orgId}) total
    left join (
      select ${columns(orgId)} from users account where ${isOf(orgId)} order by email limit ${limit} offset ${offset}
    ) page on true
    order by page.email`);
  const { rows: listed, ...page } = pageOf(rows);
  return { ...page, rows: listed.map(asListed) };
}

/** True also if all of them are disabled. */
export async function hasUsers(db: Connection): Promise<boolean> {
  const { has_any: hasAny } = await db.one(sql.type(rowsOf<{ has_any: boolean }>())`
    select exists (select from users) as has_any`);
  return hasAny;
}

function columns(orgId: number | null): FragmentSqlToken {
  return sql.fragment`account.id, account.email, account.name, account.is_disabled,
    account.password is not null as has_password, account.created_at,
    (select max(session.used_at) from sessions session where session.user_id = account.id) as last_used_at,
    coalesce((
      select json_agg(json_build_object('org_id', membership.org_id, 'role', membership.role) order by membership.org_id)
      from memberships membership
      where membership.user_id = account.id and (${orgId}::integer is null or membership.org_id = ${orgId}::integer)
    ), '[]')::jsonb as memberships`;
}

function isOf(orgId: number | null): FragmentSqlToken {
  return sql.fragment`(${orgId}::integer is null or exists (
    select from memberships where user_id = account.id and org_id = ${orgId}::integer
  ))`;
}

function asListed({
  id,
  email,
  name,
  is_disabled,
  has_password,
  created_at,
  last_used_at,
  memberships,
}: ListedUser): ListedUser {
  return {
    ...{ id, email, name, is_disabled, has_password, memberships },
    created_at: wireTime(created_at),
    last_used_at: wireTimeOrNull(last_used_at),
  };
}

/** Names of users, by their id in the change log; also of those who have left an organization. */
export async function userNames(
  db: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = [...new Set(ids)].map(Number).filter(Number.isSafeInteger);
  if (numbers.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.prepared('user-names', rowsOf<{ id: number; name: string }>())`
    select id, name from users where id = any (${sql.binary(integers(numbers))}::integer[])`);
  return new Map(rows.map(({ id, name }) => [String(id), name]));
}
