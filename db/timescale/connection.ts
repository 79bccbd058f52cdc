import pg from 'pg';

/**
 * How every `pg` connection of this project is made: times come and go in UTC, `int8` is a number (ids and counts here
 * stay below 2^53), and `timestamptz` and `json` stay the text the database sent, so that neither microseconds nor
 * digits are lost.
 */
export function connectionConfig(url: string, applicationName = 'tagtrail'): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/** Session settings that the code relies on, as the `options` of a connection. */
export const SESSION_OPTIONS = '-c timezone=UTC -c datestyle=ISO';

const asText = (text: string) => text;
const PARSERS = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.TIMESTAMPTZ, asText],
  [pg.types.builtins.JSON, asText],
]);

const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
