import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { LIVE_WEBHOOKS, type State, type StateReason } from './stored-webhook.ts';

export interface WebhookFigures {
  count: Readonly<Record<State, number>>;
  /**
   * Seconds for which the oldest event that a webhook which is on has yet to deliver has waited: since it was sealed, or
   * since the webhook was made or switched on, if that was later; less the seconds for which it is to wait.
   */
  lag: number;
  /** The webhook of which that event is; null if none waits. */
  latest: { id: number; name: string } | null;
  /** Webhooks that tagtrail itself paused or switched off, at most ten. */
  ended: readonly EndedWebhook[];
  /** True if any process delivers. */
  isDelivered: boolean;
}

export interface EndedWebhook {
  id: number;
  name: string;
  state: State;
  state_reason: StateReason;
}

/** @param orgId null for every organization's. */
export async function readFigures(db: Connection, orgId: number | null = null): Promise<WebhookFigures> {
  const isOwn = orgId === null ? sql.fragment`true` : sql.fragment`webhook.org_id = ${orgId}`;
  const [counts, ended] = await Promise.all([
    db.one(sql.type(
      rowsOf<{
        on_count: number;
        off_count: number;
        paused_count: number;
        lag: number;
        latest: string | null;
        is_delivered: boolean;
      }>(),
    )`
      select count(*) filter (where webhook.state = 'on') as on_count,
        count(*) filter (where webhook.state = 'off') as off_count,
        count(*) filter (where webhook.state = 'paused') as paused_count,
        coalesce(extract(epoch from clock_timestamp() - min(next.due_at)), 0)::float8 as lag,
        (array_agg(json_build_object('id', webhook.id, 'name', webhook.name) order by next.due_at)
          filter (where next.due_at is not null))[1]::text as latest,
        exists (select from webhook_deliverers where alive_until > clock_timestamp()) as is_delivered
      from ${LIVE_WEBHOOKS}
      left join lateral (
        select min(lane.position) as position from webhook_lanes lane
        where lane.org_id = webhook.org_id and lane.webhook_id = webhook.id
      ) behind on webhook.state = 'on'
      left join lateral (
        select greatest(move.sealed_at, webhook.state_at) + make_interval(secs => webhook.settle_seconds) as due_at
        from moves move
        where move.org_id = webhook.org_id and move.position = behind.position + 1
      ) next on true
      where ${isOwn}`),
    db.any(sql.type(rowsOf<EndedWebhook>())`
      select webhook.id, webhook.name, webhook.state, webhook.state_reason
      from ${LIVE_WEBHOOKS}
      where ${isOwn} and webhook.state <> 'on' and webhook.state_reason is not null
      order by webhook.state_at desc
      limit 10`),
  ]);
  return {
    count: { on: counts.on_count, off: counts.off_count, paused: counts.paused_count },
    lag: Math.max(0, counts.lag),
    latest: counts.latest === null ? null : JSON.parse(counts.latest),
    ended,
    isDelivered: counts.is_delivered,
  };
}
