import { isHere } from '../../db/timescale/queries/is-here.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** The credentials of devices and programs, API keys aside. */
export type CredentialTable = 'handhelds' | 'readers' | 'mqtt_consumers';

/** Seconds between two records of a use. */
const WRITTEN_EVERY_SECONDS = 60;

/** Names a credential in {@link noteUses}. */
export function credentialKey(orgId: number, id: number): string {
  return `${orgId}/${id}`;
}

/**
 * Writes last uses by the database's clock, never replacing a later one. Locks credentials by id, so that processes
 * writing the same ones do not deadlock.
 *
 * @param uses with the {@link credentialKey} for an id.
 */
export async function noteUses(
  db: Connection,
  table: CredentialTable,
  uses: readonly { id: string; secondsAgo: number }[],
): Promise<void> {
  const keys = uses.map(({ id }) => id.split('/').map(Number));
  const integers = (numbers: readonly (number | undefined)[]) => sql.array(numbers.map(Number), 'int4');
  const ages = sql.array(
    uses.map(({ secondsAgo }) => secondsAgo),
    'float8',
  );
  await db.exec(sql.prepared(`note-uses-of-${table}`, NO_ROWS)`
    with used as (
      select credential.org_id, credential.id, now() - make_interval(secs => given.seconds_ago) as used_at
      from unnest(${integers(keys.map(([orgId]) => orgId))}, ${integers(keys.map(([, id]) => id))}, ${ages})
        as given (org_id, id, seconds_ago)
      join ${sql.identifier([table])} credential on credential.org_id = given.org_id and credential.id = given.id
      where ${isHere(sql.fragment`credential.org_id`)} and (
        credential.last_used_at is null
        or credential.last_used_at < now() - make_interval(secs => given.seconds_ago + ${WRITTEN_EVERY_SECONDS})
      )
      order by credential.org_id, credential.id
      for no key update of credential
    )
    update ${sql.identifier([table])} credential set last_used_at = used.used_at
    from used
    where credential.org_id = used.org_id and credential.id = used.id`);
}
