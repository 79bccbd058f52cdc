import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, ok, warning } from './finding.ts';

interface SessionRow {
  client_id: string;
  lost: string | null;
  left: string | null;
}

const CHECK = 'sessions at the broker';

export async function examineBrokerSessions(db: Connection): Promise<Finding> {
  const rows = await db.any(sql.type(rowsOf<SessionRow>())`
    select client_id,
      case when forgotten_at > now() - interval '7 days' then to_char(forgotten_at, 'YYYY-MM-DD HH24:MI:SS TZ') end
        as lost,
      case when held_until < now() - interval '10 minutes' and exists (
        select from broker_subscriptions held
        where held.realm = session.realm and held.client_id = session.client_id
      ) then to_char(held_until, 'YYYY-MM-DD HH24:MI:SS TZ') end as left
    from broker_sessions session order by forgotten_at desc nulls last, client_id`);
  const lost = rows.filter((row) => row.lost !== null);
  if (lost[0] !== undefined) {
    return warning(
      CHECK,
      `The broker has lost ${lost.length === 1 ? 'session' : `${lost.length} sessions, last`} ${lost[0].client_id}, noticed at ${lost[0].lost}, and the messages sent before ingestion was back`,
      "Switch on the broker's persistence; keep others from ingestion's client ids; with mosquitto leave MQTT_SHARED at auto, because it forgets shared subscriptions at a restart",
    );
  }
  const left = rows.filter((row) => row.left !== null);
  if (left[0] !== undefined) {
    return warning(
      CHECK,
      `The broker keeps messages for ${left[0].client_id}, which no process has taken since ${left[0].left}${left.length === 1 ? '' : ` (and ${left.length - 1} more)`}`,
      'Start ingestion with that MQTT_CLIENT_ID again, or, if MQTT_SHARED is auto now, once to take the waiting messages',
    );
  }
  return ok(CHECK, rows.length === 0 ? 'None yet' : `${rows.length}, none lost in a week`);
}
