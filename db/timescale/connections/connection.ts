import pg from 'pg';

/**
 * How every `pg` connection of this project is made: times come and go in UTC, `int8` is a number (ids and counts here
 * stay below 2^53), and `timestamptz` and `json` stay the text the database sent, so that neither microseconds nor
 * digits are lost.
 *
 * @param role whom to act as from the start, a member of which the user of `url` must be.
 */
export function connectionConfig(url: string, applicationName = 'tagtrail', role?: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    options: sessionOptions(role),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    types: { getTypeParser },
  };
}

/**
 * Milliseconds of silence before TCP asks whether the other end is still there; it is lost when ten questions, one a
 * second, are not answered. Without it, who only listens would learn of a host that vanished after two hours.
 */
const KEEPALIVE_DELAY = 10_000;

/**
 * Session settings that the code relies on, and the role to act as, as the `options` of a connection.
 *
 * PostgreSQL expects a page out of order to cost four times one in order, as on a disk that turns, and so rather reads
 * 200 locations than finds one by its index; that was a third of a look-up (102 us of PostgreSQL's time, and 71 without).
 */
export function sessionOptions(role?: string): string {
  return `-c timezone=UTC -c datestyle=ISO -c random_page_cost=1.1${role === undefined ? '' : ` -c role=${role}`}`;
}

const asText = (text: string) => text;

/** The types that are read otherwise than `pg` would, by their names and by their numbers. */
export const TYPE_PARSERS: readonly { name: string; oid: number; parse(text: string): unknown }[] = [
  { name: 'int8', oid: pg.types.builtins.INT8, parse: Number },
  { name: 'timestamptz', oid: pg.types.builtins.TIMESTAMPTZ, parse: asText },
  { name: 'json', oid: pg.types.builtins.JSON, parse: asText },
];

const PARSERS = new Map(TYPE_PARSERS.map(({ oid, parse }) => [oid, parse]));

const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
