import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { PROCESS_ROLES } from '../../../db/timescale/schema/allow-login.ts';
import { isMigrated } from '../../../db/timescale/schema/migrate.ts';
import { faultOfLocale } from '../../../db/timescale/schema/require-fit.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';

export async function examineSchema(client: Client): Promise<Finding> {
  try {
    const unfit = await faultOfLocale(client);
    if (unfit !== null) {
      return fault('schema', unfit.message, unfit.remedy);
    }
    return (await isMigrated(client))
      ? ok('schema', "It has this version's schema")
      : fault('schema', 'It is not migrated to this version', `Run ${TAGTRAIL} migrate`);
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    const [what = '', remedy = ''] = error.message.split(/(?<=\.) /);
    return fault('schema', what, remedy);
  }
}

/**
 * @param setting that names the user.
 * @param isShared false of the embedded database, which nothing but this installation uses.
 */
export async function examineRoles(
  db: Connection,
  { setting, isShared }: { setting: string; isShared: boolean },
): Promise<Finding> {
  const rows = await db.any(sql.type(rowsOf<{ role: string; user_name: string; exists: boolean }>())`
    select role, current_user as user_name, exists (select from pg_roles where rolname = role) as exists
    from unnest(${sql.array([...PROCESS_ROLES], 'text')}) as role
    where not exists (select from pg_roles where rolname = role)
      or not pg_has_role(current_user, (select oid from pg_roles where rolname = role), 'member')`);
  const [first] = rows;
  if (first === undefined && isShared && (await isOwner(db))) {
    return warning(
      'roles',
      `The user of ${setting} owns the tables: who takes over a process could change or drop them`,
      setting === 'DATABASE_URL'
        ? `Let MIGRATE_DATABASE_URL be this user's, and DATABASE_URL a new user's, whom ${TAGTRAIL} migrate makes`
        : `Let ${setting} have the user of DATABASE_URL`,
    );
  }
  if (first === undefined) {
    return ok('roles', `The user of ${setting} can act as every role that is needed`);
  }
  const names = rows.map(({ role }) => role).join(', ');
  const isMissing = rows.some(({ exists }) => !exists);
  return fault(
    'roles',
    isMissing ? `Roles are missing: ${names}` : `The user ${first.user_name} is no member of ${names}`,
    isMissing
      ? `As a superuser: ${rows.map(({ role }) => `create role ${role} nologin;`).join(' ')} then grant them to ${first.user_name}`
      : `As a superuser: grant ${names} to ${first.user_name};`,
  );
}

async function isOwner(db: Connection): Promise<boolean> {
  const { is_owner: is } = await db.one(sql.type(rowsOf<{ is_owner: boolean }>())`
    select pg_has_role(relowner, 'usage') as is_owner from pg_class where oid = 'changes'::regclass`);
  return is;
}
