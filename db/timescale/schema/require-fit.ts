import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';

/**
 * Options of new databases: text is compared by code point and folded by Unicode rules, independent of the server's
 * locale.
 */
export const MADE_WITH = `template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`;

interface Fault {
  message: string;
  remedy: string;
}

/** The fault of a database's encoding and locale, which a restore by hand easily takes from the server; or null. */
export async function faultOfLocale(client: pg.ClientBase): Promise<Fault | null> {
  const { rows } = await client.query<{
    database: string;
    encoding: string;
    provider: string;
    locale: string;
  }>(
    `select datname as database, pg_encoding_to_char(encoding) as encoding,
       case datlocprovider when 'b' then 'builtin' when 'i' then 'icu' else 'libc' end as provider,
       coalesce(datlocale, datcollate) as locale
     from pg_database where datname = current_database()`,
  );
  const [made] = rows;
  if (
    made === undefined ||
    (made.encoding === 'UTF8' && made.provider === 'builtin' && made.locale === 'C.UTF-8')
  ) {
    return null;
  }
  return {
    message: `The database ${made.database} has the encoding ${made.encoding} and the locale ${made.locale} (${made.provider}), and searches need UTF8 and C.UTF-8 (builtin)`,
    remedy: `Make another (create database ... ${MADE_WITH};) and restore a backup into it (${TAGTRAIL} database restore)`,
  };
}

async function faultOfOwner(client: pg.ClientBase): Promise<Fault | null> {
  const { rows } = await client.query<{ database: string; user_name: string }>(
    `select current_database() as database, current_user as user_name
     where not has_schema_privilege(to_regnamespace('public'), 'create')`,
  );
  const [found] = rows;
  if (found === undefined) {
    return null;
  }
  const [name, user] = [found.database, found.user_name].map((each) => pg.escapeIdentifier(each));
  return {
    message: `${found.user_name} does not own the database ${found.database}, and may create nothing in it`,
    remedy: `As a superuser: alter database ${name} owner to ${user};`,
  };
}

/** @throws AppError `misconfigured`, with the remedy, unless the database can be migrated by this user. */
export async function requireFit(client: pg.ClientBase): Promise<void> {
  const fault = (await faultOfLocale(client)) ?? (await faultOfOwner(client));
  if (fault !== null) {
    throw new AppError('misconfigured', `${fault.message}. ${fault.remedy}`);
  }
}
