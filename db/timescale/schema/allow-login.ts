import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { addressesOf } from '../connections/addresses.ts';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { requireDatabaseUrl } from '../connections/database-url.ts';
import { whileElected } from '../connections/elected.ts';

/** The roles of processes. Their login must be a member of these, and of nothing else. */
export const PROCESS_ROLES = [
  'tagtrail_api',
  'tagtrail_access',
  'tagtrail_service',
  'tagtrail_people',
] as const;

/**
 * Lets processes sign in by the user of an address: makes it with that address's password if it is missing, and a member of
 * {@link PROCESS_ROLES}. Nothing changes for a user who is a member already, or who migrates.
 *
 * @param ownerUrl of who migrated the database.
 * @returns true if the user is new.
 * @throws AppError `forbidden` with what to run, if the owner may not; `misconfigured` if the address names no user, or
 * a new one with the owner's password.
 */
export async function allowLogin(ownerUrl: string, processUrl: string): Promise<boolean> {
  const { user, secret } = loginOf(processUrl);
  const election = { name: 'tagtrail migrate', every: EVERY };
  const isNew = await whileElected(ownerUrl, ADVISORY_LOCKS.migration, election, async ({ client }) => {
    const { rows } = await client.query<{ is_there: boolean; may_make: boolean; missing: string[] }>(
      `select exists (select from pg_roles where rolname = $1) as is_there,
         (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as may_make,
         array(
           select needed from unnest($2::text[]) needed
           where $1 <> current_user and not coalesce(
             (select pg_has_role(oid, needed, 'usage') from pg_roles where rolname = $1), false
           )
         ) as missing`,
      [user, PROCESS_ROLES],
    );
    const [{ is_there: isThere, may_make: mayMake, missing } = NOTHING_TO_DO] = rows;
    if (missing.length === 0) {
      return false;
    }
    const grant = `grant ${missing.join(', ')} to ${client.escapeIdentifier(user)} with inherit true`;
    const create = `create role ${client.escapeIdentifier(user)} login`;
    const todo = isThere ? grant : `${create} password '...'; ${grant}`;
    const refused = (options?: ErrorOptions) =>
      new AppError(
        'forbidden',
        `The user of MIGRATE_DATABASE_URL may not give rights to ${user}, the user of DATABASE_URL; as a superuser: ${todo};`,
        options,
      );
    if (!isThere && !mayMake) {
      throw refused();
    }
    if (!isThere) {
      requireOwnPassword({ user, secret }, ownerUrl);
    }
    try {
      await client.query('begin');
      if (!isThere) {
        const verifier = secret === '' ? 'null' : client.escapeLiteral(scramVerifier(secret));
        await client.query(`${create} password ${verifier}`);
      }
      await client.query(grant);
      await client.query('commit');
    } catch (error) {
      throw error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE
        ? refused({ cause: error })
        : error;
    }
    return !isThere;
  });
  return isNew === true;
}

/** Milliseconds between attempts to create it. */
const EVERY = 100;

/**
 * Refuses an address that {@link allowLogin} would refuse for itself, before the database is changed.
 *
 * @throws AppError `misconfigured`.
 */
export async function requireAllowable(ownerUrl: string, processUrl: string): Promise<void> {
  const login = loginOf(processUrl);
  const client = new Client(connectionConfig(ownerUrl, 'tagtrail migrate'));
  await client.connect();
  try {
    const { rows } = await client.query('select from pg_roles where rolname = $1', [login.user]);
    if (rows.length === 0) {
      requireOwnPassword(login, ownerUrl);
    }
  } finally {
    await client.end();
  }
}

interface Login {
  user: string;
  secret: string;
}

function loginOf(processUrl: string): Login {
  const { direct, pooled } = addressesOf(processUrl);
  const { username, password } = new URL(requireDatabaseUrl(pooled ?? direct).first);
  if (username === '') {
    throw new AppError(
      'misconfigured',
      'DATABASE_URL names no user, and MIGRATE_DATABASE_URL is for another one; set DATABASE_URL to an address such as postgres://user:password@host:5432/tagtrail',
    );
  }
  return { user: decodeURIComponent(username), secret: decodeURIComponent(password) };
}

function requireOwnPassword({ user, secret }: Login, ownerUrl: string): void {
  if (secret !== '' && secret === passwordOf(ownerUrl)) {
    throw new AppError(
      'misconfigured',
      `DATABASE_URL has the password of MIGRATE_DATABASE_URL; give ${user} one of its own (with Compose DATABASE_PASSWORD)`,
    );
  }
}

function passwordOf(url: string): string {
  return decodeURIComponent(new URL(requireDatabaseUrl(url).first).password);
}

const NOTHING_TO_DO = { is_there: true, may_make: false, missing: [] };

const INSUFFICIENT_PRIVILEGE = '42501';

const ITERATIONS = 4_096;
const LENGTH = 32;

/**
 * What PostgreSQL stores for a password (RFC 5803, SCRAM-SHA-256), for `create role … password`. A statement may get
 * into the server's log, so it must not contain the password.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(saslprep(password), salt, ITERATIONS, LENGTH, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const serverKey = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** RFC 4013, which clients apply before they prove that they know the password. */
function saslprep(password: string): string {
  return password.replaceAll(OTHER_SPACES, ' ').replaceAll(MAPPED_TO_NOTHING, '').normalize('NFKC');
}

const OTHER_SPACES = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g;
const MAPPED_TO_NOTHING = /\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/g;
