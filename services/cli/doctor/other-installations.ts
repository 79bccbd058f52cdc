import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Finding, warning } from '../../../domain/health/finding.ts';

/**
 * Other databases of the server that the user of DATABASE_URL may open and whose tables it may write: roles are the server's,
 * not a database's. A superuser opens all of them anyway.
 */
export async function examineOtherInstallations(db: Connection): Promise<Finding[]> {
  const rows = await db.any(sql.type(rowsOf<{ name: string; others: number }>())`
    select quote_ident(datname) as name, (count(*) over ())::integer as others
    from pg_database
    where datname <> current_database() and datallowconn and has_database_privilege(oid, 'connect')
      and not (select rolsuper from pg_roles where rolname = current_user)
      and exists (
        select from pg_shdepend
        where dbid = pg_database.oid and refclassid = 'pg_authid'::regclass and refobjid = to_regrole('tagtrail_service')
      )
    order by datname limit 3`);
  const [first] = rows;
  if (first === undefined) {
    return [];
  }
  const more = first.others - rows.length;
  const names = `${rows.map(({ name }) => name).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    warning(
      'other installations',
      `The user of DATABASE_URL may open other installations' databases at this server, and change what is in them: ${names}`,
      `Run for each of them: revoke connect on database ${first.name} from public; and grant it to the user of its own DATABASE_URL`,
    ),
  ];
}
