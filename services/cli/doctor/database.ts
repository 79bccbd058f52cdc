import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { addressesOf } from '../../../db/timescale/connections/addresses.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { placeOf } from '../../../db/timescale/connections/database-url.ts';
import {
  faultOfConnections,
  faultOfNotifications,
} from '../../../db/timescale/connections/direct-connection.ts';
import { examineReplica } from '../../../db/timescale/connections/examine-replica.ts';
import { faultOfPooler } from '../../../db/timescale/connections/faulty-pooler.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { PROCESS_ROLES } from '../../../db/timescale/schema/allow-login.ts';
import { isMigrated } from '../../../db/timescale/schema/migrate.ts';
import { faultOfLocale } from '../../../db/timescale/schema/require-fit.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { remedyOfConnection } from '../connections/connection-remedies.ts';

export async function connect(url: string): Promise<Client | Finding> {
  const client = new Client(connectionConfig(url, 'tagtrail doctor'));
  try {
    await client.connect();
    return client;
  } catch (error) {
    const message = `The database at ${placeOf(url)} cannot be used: ${messageOf(error)}`;
    return fault('database', message, remedyOfConnection(error, 'DATABASE_URL'));
  }
}

/**
 * Checks the address of migrations.
 *
 * @param client leads to the database of the processes.
 */
export async function examineMigrating(client: Client, url: string): Promise<Finding> {
  const check = 'way of migrations';
  const owner = new Client(connectionConfig(url, 'tagtrail doctor'));
  try {
    await requireReachable(url, undefined, 'MIGRATE_DATABASE_URL');
    await owner.connect();
    if ((await faultOfNotifications(owner, client, randomBytes(8).toString('hex'))) !== null) {
      return fault(
        check,
        `MIGRATE_DATABASE_URL leads to another database (${placeOf(url)})`,
        'Let it lead to the database of DATABASE_URL, as the owner of its tables',
      );
    }
    return ok(check, 'It leads to the same database');
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    const [message = '', remedy] = error.message.split('; let it ');
    return fault(
      check,
      message,
      remedy === undefined
        ? remedyOfConnection(error.cause, 'MIGRATE_DATABASE_URL')
        : `Let it ${remedy}: migrations hold a lock for longer than a transaction`,
    );
  } finally {
    await owner.end();
  }
}

export async function examineConnections(url: string): Promise<Finding> {
  const { pooled } = addressesOf(url);
  const setting = pooled === null ? 'DATABASE_URL' : 'LISTEN_DATABASE_URL';
  const wrong = await faultOfConnections(url);
  if (wrong !== null) {
    return fault(
      'way to the database',
      `${setting} leads through a connection pooler: ${wrong}`,
      'Let LISTEN_DATABASE_URL lead to PostgreSQL itself',
    );
  }
  const unusable = pooled === null ? null : await faultOfPooler(url).catch(messageOf);
  return unusable === null
    ? ok(
        'way to the database',
        pooled === null ? 'It leads to PostgreSQL itself' : 'It leads through a pooler',
      )
    : fault(
        'way to the database',
        `DATABASE_URL leads through a pooler that cannot be used: ${unusable}`,
        'Let DATABASE_URL lead through a pooler in transaction mode, or to PostgreSQL itself',
      );
}

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

/** Milliseconds by which its clock may be ahead or behind for lists to be read there. */
const AHEAD = 1_000;
const BEHIND = 100;

export async function examineReadUrl(url: string, readUrl: string): Promise<Finding> {
  const place = `The replica at ${placeOf(readUrl)}`;
  try {
    const found = await examineReplica(url, readUrl);
    if (found.state === 'unusable') {
      return fault(
        'replica',
        `${place} cannot be used: ${found.fault}`,
        'Let DATABASE_READ_URL lead to a standby of the database at DATABASE_URL, without a pooler between',
      );
    }
    if (found.state === 'unavailable') {
      return warning(
        'replica',
        `${place} is not read: ${found.fault}`,
        'Start the standby, or correct DATABASE_READ_URL; the primary answers meanwhile',
      );
    }
    const { least, most } = found.clockAhead;
    return least > AHEAD || most < -BEHIND
      ? warning(
          'replica',
          `${place} has a clock that is ${(Math.abs(least + most) / 2_000).toFixed(1)} s ${least > 0 ? 'ahead of' : 'behind'} the primary's`,
          'Set both by the same time servers; the primary answers meanwhile',
        )
      : ok('replica', `${place} is ${found.bytesBehind} bytes of the log behind`);
  } catch (error) {
    return warning('replica', `${place} was not looked at: ${messageOf(error)}`, 'Mend the database first');
  }
}

/** Whether the servers of DATABASE_URL are one primary and its standbys; nothing for a single one. */
export async function examineServers(url: string): Promise<Finding[]> {
  const { servers } = connectionConfig(url, 'tagtrail doctor');
  if (servers?.areSeveral !== true) {
    return [];
  }
  const found = await servers.examine();
  return [
    found === null
      ? ok('servers', 'No two of those that answer take changes')
      : fault('servers', capitalized(found.message), found.remedy),
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Opened {
  name: string;
  login: string;
  /** The user has the right itself, as the owner of the database or by a grant, rather than as everybody has. */
  is_own: boolean;
  /** Databases that it may open the same way. */
  all: number;
}

/**
 * Other databases of the server that the user of DATABASE_URL may open and whose tables it may write: roles are the server's,
 * not a database's. A superuser opens all of them anyway.
 */
export async function examineOtherInstallations(db: Connection): Promise<Finding[]> {
  const rows = await db.any(sql.type(rowsOf<Opened>())`
    select quote_ident(datname) as name, quote_ident(current_user) as login, is_own, "all"
    from (
      select datname, is_own, (count(*) over same)::integer as "all",
        row_number() over (same order by datname) as place
      from pg_database, lateral (
        select exists (
          select from aclexplode(coalesce(datacl, acldefault('d', datdba)))
          where privilege_type = 'CONNECT' and grantee <> 0 and pg_has_role(grantee, 'usage')
        ) as is_own
      ) way
      where datname <> current_database() and datallowconn and has_database_privilege(oid, 'connect')
        and not (select rolsuper from pg_roles where rolname = current_user)
        and exists (
          select from pg_shdepend
          where dbid = pg_database.oid and refclassid = 'pg_authid'::regclass and refobjid = to_regrole('tagtrail_service')
        )
      window same as (partition by is_own)
    ) opened
    where place <= 3
    order by is_own desc, datname`);
  return [true, false].flatMap((isOwn) => findingOf(rows.filter(({ is_own }) => is_own === isOwn)));
}

function findingOf(opened: readonly Opened[]): Finding[] {
  const [first] = opened;
  if (first === undefined) {
    return [];
  }
  const { name, login, is_own: isOwn, all } = first;
  const more = all - opened.length;
  const names = `${opened.map((each) => each.name).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const by = isOwn ? `, as their owner or by a grant to ${login},` : '';
  return [
    warning(
      'other installations',
      `The user of DATABASE_URL may open other installations' databases at this server${by} and change what is in them: ${names}`,
      isOwn
        ? `Have a user for each installation: set one in its DATABASE_URL that no other has, and migrate, which makes it ("Two logins at the database" in deploy/install.md). Where ${login} was granted what it does not need: revoke connect on database ${name} from ${login}`
        : `Run for each of them: revoke connect on database ${name} from public; and grant it to the user of its own DATABASE_URL`,
    ),
  ];
}
