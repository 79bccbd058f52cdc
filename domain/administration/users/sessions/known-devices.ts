import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { digestOfToken, newToken } from '../tokens.ts';
import { asStored } from '../user-fields.ts';

/** Per user; the one unused for longest is forgotten first. */
const MOST_DEVICES = 20;

/** Users of one browser whose tokens its cookie has; the one who signed in longest ago is left out first. */
const MOST_USERS = 8;

/** Between the tokens, which have none. */
const SEPARATOR = '.';

/**
 * A browser's cookie has a token for each user who signed in with it, the last one first. Tokens are never made from
 * the cookie that the browser sent, so somebody who planted or read a cookie knows nothing of later ones.
 */
function tokensOf(cookie: string | null): string[] {
  return (cookie ?? '').split(SEPARATOR, MOST_USERS).filter((token) => digestOfToken(token) !== null);
}

/**
 * The digest of the token by which this account signed in with this browser before; null if it never did.
 *
 * @param cookie null for a browser without one.
 */
export async function knownDeviceOf(
  db: Connection,
  email: string,
  cookie: string | null,
): Promise<string | null> {
  const digests = digestsOf(cookie);
  if (digests.length === 0) {
    return null;
  }
  const row = await db.maybeOne(sql.prepared('known-device', rowsOf<{ digest: string }>())`
    select encode(device.digest, 'hex') as digest
    from known_devices device join users account on account.id = device.user_id
    where device.digest = any (array(select decode(given, 'hex') from unnest(${sql.array(digests, 'text')}) as given))
      and account.email = ${asStored(email)}
    order by device.used_at desc, device.digest limit 1`);
  return row?.digest ?? null;
}

/**
 * Remembers a browser that somebody signed in with, by a new token; this invalidates the user's earlier one there.
 *
 * @param cookie as the browser came; null for none.
 * @returns the new one.
 */
export async function noteDevice(db: Connection, userId: number, cookie: string | null): Promise<string> {
  const { token, digest } = newToken();
  const earlier = tokensOf(cookie);
  const rows = await db.any(sql.prepared('note-device', rowsOf<{ digest: string }>())`
    with given as (
      select decode(text, 'hex') as digest from unnest(${sql.array(digestsOf(cookie), 'text')}) as text
    ), replaced as (
      delete from known_devices device
      where device.user_id = ${userId} and device.digest in (select digest from given)
      returning device.digest
    ), surplus as (
      delete from known_devices device
      where device.user_id = ${userId} and device.digest in (
        select other.digest from known_devices other
        where other.user_id = ${userId} and other.digest not in (select digest from given)
        order by other.used_at desc, other.digest offset ${MOST_DEVICES - 1}
      )
    ), added as (
      insert into known_devices (user_id, digest) values (${userId}, decode(${digest}, 'hex'))
    )
    select encode(digest, 'hex') as digest from replaced`);
  const replaced = new Set(rows.map((row) => row.digest));
  const others = earlier.filter((each) => !replaced.has(digestOfToken(each) ?? ''));
  return [token, ...others].slice(0, MOST_USERS).join(SEPARATOR);
}

/** For accounts whose password others may have set or known: the browsers may be theirs. */
export async function forgetDevices(db: Connection, userId: number): Promise<void> {
  await db.exec(sql.prepared('forget-devices', NO_ROWS)`delete from known_devices where user_id = ${userId}`);
}

/** Which of these digests belong to browsers with an earlier sign-in, of any user. */
export async function findDevices(
  db: Connection,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.prepared('find-devices', rowsOf<{ digest: string }>())`
    select distinct encode(device.digest, 'hex') as digest from known_devices device
    where device.digest = any (array(select decode(given, 'hex') from unnest(${sql.array(digests, 'text')}) as given))`);
  return new Map(rows.map(({ digest }) => [digest, digest]));
}

/** Digests of the users' tokens in a browser's cookie; no more than {@link MOST_USERS}. */
export function digestsOf(cookie: string | null): string[] {
  return tokensOf(cookie).flatMap((token) => digestOfToken(token) ?? []);
}
