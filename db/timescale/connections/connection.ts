import pg from 'pg';
import { addressesOf } from './addresses.ts';
import { requireDatabaseUrl } from './database-url.ts';
import { Servers } from './servers.ts';
import { asOptions, COMMON_SETTINGS, type SessionSettings } from './session-settings.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Asked for the one to connect to, where `url` does not name it. */
  servers?: Servers;
}

/**
 * Configuration of every `pg` connection of this project: times are UTC, `int8` is a number (ids and counts stay below
 * 2^53), and `timestamptz` and `json` stay text, so that neither microseconds nor digits are lost. They lead to PostgreSQL
 * itself.
 *
 * @param role acts as this role from the start; the user of the address must be a member.
 */
export function connectionConfig(
  address: string,
  applicationName = 'tagtrail',
  role?: string,
): ConnectionConfig {
  return configOf(addressesOf(address).direct, applicationName, asOptions(sessionSettings(role)));
}

/** {@link connectionConfig} of one of the ways to a database. */
export function configOf(
  url: string,
  applicationName: string | undefined,
  options: string,
): ConnectionConfig {
  const { first, addresses, wanted } = requireDatabaseUrl(url);
  const config = {
    connectionString: first,
    application_name: applicationName,
    options,
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

/** Settings of every connection, and the role. */
export function sessionSettings(role?: string): SessionSettings {
  return role === undefined ? COMMON_SETTINGS : { ...COMMON_SETTINGS, role };
}

const asText = (text: string) => text;

/** Types parsed differently than by `pg`, by name and oid. */
const TYPE_PARSERS: readonly { name: string; oid: number; parse(text: string): unknown }[] = [
  { name: 'int8', oid: pg.types.builtins.INT8, parse: Number },
  { name: 'timestamptz', oid: pg.types.builtins.TIMESTAMPTZ, parse: asText },
  { name: 'json', oid: pg.types.builtins.JSON, parse: asText },
];

const PARSERS = new Map(TYPE_PARSERS.map(({ oid, parse }) => [oid, parse]));

const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
