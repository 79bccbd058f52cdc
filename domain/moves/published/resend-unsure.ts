import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** How long a broker may keep acknowledged messages in memory only: mosquitto for half an hour, by default. */
const UNSURE = sql.fragment`now() - interval '1 hour'`;

/**
 * Call regularly while the broker is connected. By now the broker has written what it acknowledged before that hour,
 * so topics cleared then stay cleared.
 */
export async function trustWritten(db: Connection): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`delete from mqtt_topics where digest = ''::bytea and sent_at < ${UNSURE}`);
  await db.exec(sql.type(NO_ROWS)`
    update mqtt_topics set sent_at = null where sent_at < ${UNSURE} and digest <> ''::bytea`);
}

/**
 * Sends again everything that the broker may not have written, in case it was killed and forgot it.
 */
export async function resendUnsure(db: Connection): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    with doubted as (
      update mqtt_topics set digest = null where sent_at is not null returning org_id, asset_id
    ), of_deleted as (
      insert into mqtt_feeds (org_id, target, position) select distinct org_id, '', 0 from doubted
      on conflict (org_id) do nothing
    )
    insert into mqtt_outdated (org_id, asset_id) select distinct org_id, asset_id from doubted
    on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0`);
}

/** Sends everything again, because the broker has forgotten it. */
export async function sendAllAgain(db: Connection): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`update mqtt_feeds set target = ''`);
}
