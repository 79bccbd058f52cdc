import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Finding, warning } from '../../../domain/health/finding.ts';

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
