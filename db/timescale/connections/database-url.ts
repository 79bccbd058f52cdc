/** The primary takes changes; a standby is a replica of it. */
export type Wanted = 'primary' | 'standby';

/** Host and port of a server; a host that begins with a slash is a folder of Unix sockets. */
export interface Address {
  host: string;
  port: number;
}

export interface DatabaseUrl {
  /** With the first host only, as `pg` reads it. */
  first: string;
  addresses: readonly [Address, ...Address[]];
  /** `target_session_attrs`; null if any server will do, which is possible with one host only. */
  wanted: Wanted | null;
}

/**
 * Reads a database address as libpq does: several hosts with ports, separated by commas, and `target_session_attrs`.
 *
 * @returns null if it is not one.
 */
export function readDatabaseUrl(text: string): DatabaseUrl | null {
  const [, scheme = '', user = '', places = '', rest = ''] = PARTS.exec(text) ?? [];
  const single = places.split(',').map((place) => `${scheme}${user}${place}${rest}`);
  if (!single.every((url) => URL.canParse(url))) {
    return null;
  }
  const urls = single.map((url) => new URL(url));
  const [first, ...others] = urls;
  const wanted = WANTED.get(first?.searchParams.get(ATTRIBUTES) ?? 'any');
  if (
    first === undefined ||
    wanted === undefined ||
    // A folder of sockets as a parameter (`?host=`) is for one server, whose role does not matter.
    ((others.length > 0 || wanted !== null) && urls.some(({ hostname }) => hostname === ''))
  ) {
    return null;
  }
  return {
    first: single[0] ?? text,
    addresses: [addressOf(first), ...others.map(addressOf)],
    wanted: wanted ?? (others.length > 0 ? 'primary' : null),
  };
}

/** Hosts and name of the database, without user and password. */
export function placeOf(text: string): string {
  const { pathname } = new URL(requireDatabaseUrl(text).first);
  const [, , , places = ''] = PARTS.exec(text) ?? [];
  return `${places}${pathname}`;
}

export function databaseOf(text: string): string {
  return decodeURIComponent(new URL(requireDatabaseUrl(text).first).pathname.slice(1));
}

/** The address of another database on the same servers. */
export function withDatabase(text: string, name: string): string {
  const { search } = new URL(requireDatabaseUrl(text).first);
  const [, scheme = '', user = '', places = ''] = PARTS.exec(text) ?? [];
  return `${scheme}${user}${places}/${encodeURIComponent(name)}${search}`;
}

/** The address with standbys wanted, unless it says otherwise. */
export function asStandbys(text: string): string {
  return text.includes(`${ATTRIBUTES}=`)
    ? text
    : `${text}${text.includes('?') ? '&' : '?'}${ATTRIBUTES}=standby`;
}

export function requireDatabaseUrl(text: string): DatabaseUrl {
  const read = readDatabaseUrl(text);
  if (read === null) {
    // Without the text, which contains a password.
    throw new TypeError('not the address of a database');
  }
  return read;
}

const PARTS = /^([a-z]+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is;

const ATTRIBUTES = 'target_session_attrs';

/** libpq's further distinctions make no difference here: writers want the primary, and want it writable. */
const WANTED: ReadonlyMap<string, Wanted | null> = new Map([
  ['any', null],
  ['read-write', 'primary'],
  ['primary', 'primary'],
  ['read-only', 'standby'],
  ['standby', 'standby'],
]);

function addressOf({ hostname, port }: URL): Address {
  return {
    host: decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1'),
    port: port === '' ? DEFAULT_PORT : Number(port),
  };
}

const DEFAULT_PORT = 5432;
