import { type FragmentSqlToken, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { packedSpans } from './packed-spans.ts';
import type { ReaderId } from './store-connections.ts';

/** Times are `timestamptz` text. */
export interface ReaderSpan {
  state: 'up' | 'silent' | 'disconnected';
  from: string;
  /** Null if it is not over. */
  to: string | null;
  /** For `up`, if known only from buffered messages sent later: when the last of them came. */
  learnedAt: string | null;
  /** For `up`: messages were received. */
  messages: number | null;
}

/** Parts that a picture can show; spans closer together are merged. */
const PARTS = 400;

/**
 * When a reader was heard, silent, and disconnected from the embedded broker in the last days, for a picture: a reader
 * heard every 20 s makes 4,320 spans a day, which become one.
 */
export async function readSpans(
  db: Connection,
  { orgId, readerId }: ReaderId,
  days: number,
): Promise<{ from: string; to: string; spans: ReaderSpan[] }> {
  const rows = await db.any(sql.type(
    rowsOf<{
      began: string;
      ended: string;
      state: ReaderSpan['state'] | 'late' | null;
      started_at: string;
      ended_at: string | null;
      learned_at: string | null;
      messages: number | null;
    }>(),
  )`
    with range as (
      select now() - make_interval(days => ${days}) as began, now() as ended,
        make_interval(days => ${days}) / ${PARTS} as gap
    ),
    span as (${spansIn(orgId, readerId)}),
    marked as (
      select span.*, coalesce(span.started_at - max(coalesce(span.ended_at, range.ended)) over (
        partition by state order by started_at rows between unbounded preceding and 1 preceding) > range.gap, true) as is_first
      from span cross join range
    ),
    numbered as (
      select *, count(*) filter (where is_first) over (partition by state order by started_at) as number from marked
    ),
    joined as (
      select state, min(started_at) as started_at,
        case when bool_or(ended_at is null) then null else max(ended_at) end as ended_at, max(learned_at) as learned_at, sum(messages)::bigint as messages
      from numbered group by state, number
    )
    select range.began, range.ended, joined.* from range left join joined on true
    -- Some begin at once: heard for an instant, and disconnected then.
    order by joined.started_at, joined.state desc`);
  const [first] = rows;
  return {
    from: first?.began ?? '',
    to: first?.ended ?? '',
    spans: rows.flatMap(({ state, started_at: from, ended_at: to, learned_at: learnedAt, messages }) =>
      state === null ? [] : [{ state: state === 'late' ? 'up' : state, from, to, learnedAt, messages }],
    ),
  };
}

/** Spans in the `range`: stored, packed, learned from late messages, and the one that goes on. */
function spansIn(orgId: number, readerId: number): FragmentSqlToken {
  const own = sql.fragment`span.org_id = ${orgId} and span.reader_id = ${readerId}`;
  const packed = (state: 'up' | 'disconnected') => sql.fragment`
    select ${state}, piece.started_at, piece.ended_at, null::timestamptz, piece.messages
    from range cross join lateral (${packedSpans(state, {
      ...{ orgId, readerId: sql.fragment`${readerId}` },
      ...{ since: sql.fragment`range.began`, until: sql.fragment`range.ended` },
    })}) piece`;
  return sql.fragment`
    select span.state, span.started_at, span.ended_at, null::timestamptz as learned_at, span.messages
    from range cross join (values ('up'), ('silent'), ('disconnected')) kind (state)
    cross join lateral (
      select span.* from reader_spans span
      where ${own} and span.state = kind.state
        -- Spans of one kind are apart: of those from before, only the last can reach into the range.
        and span.started_at >= coalesce((
          select max(before.started_at) from reader_spans before
          where before.org_id = ${orgId} and before.reader_id = ${readerId} and before.state = kind.state
            and before.started_at < range.began), range.began)
        and coalesce(span.ended_at, range.ended) >= range.began
    ) span
    union all
    ${packed('up')}
    union all
    ${packed('disconnected')}
    union all
    select 'late', started_at, ended_at, learned_at, null from range cross join reader_proofs proof
    where proof.org_id = ${orgId} and proof.reader_id = ${readerId} and ended_at >= range.began
    union all
    select 'up', heard_since, heard_until, null, heard_messages from range cross join reader_counters counted
    where counted.org_id = ${orgId} and counted.reader_id = ${readerId} and heard_until >= range.began`;
}
