import pg from 'pg';
import { requireDatabaseUrl } from './database-url.ts';
import { Servers } from './servers.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Asked for the one to connect to, where `url` does not name it. */
  servers?: Servers;
}

/**
 * Configuration of every `pg` connection of this project: times are UTC, `int8` is a number (ids and counts stay below
 * 2^53), and `timestamptz` and `json` stay text, so that neither microseconds nor digits are lost.
 *
 * @param role acts as this role from the start; the user of `url` must be a member.
 */
export function connectionConfig(url: string, applicationName = 'tagtrail', role?: string): ConnectionConfig {
  const { first, addresses, wanted } = requireDatabaseUrl(url);
  const config = {
    connectionString: first,
    application_name: applicationName,
    options: sessionOptions(role),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    types: { getTypeParser },
  };
  return wanted === null ? config : { ...config, servers: new Servers(addresses, wanted, config) };
}

/**
 * Milliseconds of silence before TCP keepalive; the connection is lost after ten unanswered probes, one a second.
 * Without it a mere listener would notice a vanished host after two hours.
 */
const KEEPALIVE_DELAY = 10_000;

/**
 * Session settings that the code relies on, and the role, as the `options` of a connection.
 *
 * PostgreSQL's default `random_page_cost`, made for rotating disks, makes it read 200 locations rather than
 * find one by its index; that was a third of a look-up (102 us of PostgreSQL's time instead of 71).
 */
export function sessionOptions(role?: string): string {
  return `-c timezone=UTC -c datestyle=ISO -c random_page_cost=1.1${role === undefined ? '' : ` -c role=${role}`}`;
}

const asText = (text: string) => text;

/** Types parsed differently than by `pg`, by name and oid. */
export const TYPE_PARSERS: readonly { name: string; oid: number; parse(text: string): unknown }[] = [
  { name: 'int8', oid: pg.types.builtins.INT8, parse: Number },
  { name: 'timestamptz', oid: pg.types.builtins.TIMESTAMPTZ, parse: asText },
  { name: 'json', oid: pg.types.builtins.JSON, parse: asText },
];

const PARSERS = new Map(TYPE_PARSERS.map(({ oid, parse }) => [oid, parse]));

const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
