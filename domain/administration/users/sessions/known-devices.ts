import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { asStored } from '../given.ts';
import { digestOfToken } from '../tokens.ts';

/** Of one user; the one unused for longest is forgotten first. */
const MOST_DEVICES = 20;

/** True if whoever has the account signed in with this browser before. @param token of its cookie. */
export async function isKnownDevice(db: Connection, email: string, token: string): Promise<boolean> {
  const digest = digestOfToken(token);
  if (digest === null) {
    return false;
  }
  const row = await db.one(sql.prepared('is-known-device', rowsOf<{ is_known: boolean }>())`
    select exists (
      select from known_devices device join users account on account.id = device.user_id
      where device.digest = decode(${digest}, 'hex') and account.email = ${asStored(email)}
    ) as is_known`);
  return row.is_known;
}

/** Remembers a browser that somebody signed in with. */
export async function noteDevice(db: Connection, userId: number, token: string): Promise<void> {
  const digest = digestOfToken(token);
  await db.exec(sql.prepared('note-device', NO_ROWS)`
    with given as (select ${userId}::integer as user_id, decode(${digest}, 'hex') as digest), surplus as (
      delete from known_devices device using given
      where device.user_id = given.user_id and device.digest in (
        select other.digest from known_devices other
        where other.user_id = given.user_id and other.digest <> given.digest
        order by other.used_at desc, other.digest offset ${MOST_DEVICES - 1}
      )
    )
    insert into known_devices (user_id, digest) select user_id, digest from given
    on conflict (user_id, digest) do update set used_at = now()`);
}
