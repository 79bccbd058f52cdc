import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

interface Wanted {
  orgId: number;
  readerId: FragmentSqlToken;
  since: FragmentSqlToken;
  until: FragmentSqlToken;
}

const COLUMNS = {
  up: sql.fragment`packed.heard_since, packed.heard_until, packed.heard_messages`,
  disconnected: sql.fragment`packed.away_since, packed.away_until, null::bigint[]`,
};

/**
 * A query of `started_at`, `ended_at` and `messages` of packed spans (`reader_packed_spans`) that reach into a time:
 * spans of `reader_spans` older than eight days may be there instead.
 */
export function packedSpans(
  state: keyof typeof COLUMNS,
  { orgId, readerId, since, until }: Wanted,
): FragmentSqlToken {
  return sql.fragment`
    select piece.started_at, piece.ended_at, piece.messages
    from reader_packed_spans packed
    cross join lateral unnest(${COLUMNS[state]}) as piece (started_at, ended_at, messages)
    where packed.org_id = ${orgId} and packed.reader_id = ${readerId}
      -- A day, and an hour more for what began at its end.
      and packed.started_at >= ${since} - interval '2 days' and packed.started_at <= ${until}
      and packed.ended_at >= ${since} and piece.started_at <= ${until} and piece.ended_at >= ${since}`;
}

/** A query of the `started_at`, `ended_at` and `messages` of stretches that were packed and began at an instant or later. */
export function packedStretchesSince({
  orgId,
  readerId,
  since,
}: Record<'orgId' | 'readerId' | 'since', FragmentSqlToken>): FragmentSqlToken {
  return sql.fragment`
    select piece.started_at, piece.ended_at, piece.messages
    from reader_packed_spans packed
    cross join lateral unnest(${COLUMNS.up}) as piece (started_at, ended_at, messages)
    where packed.org_id = ${orgId} and packed.reader_id = ${readerId}
      and packed.started_at >= ${since} - interval '2 days' and packed.ended_at >= ${since}
      and piece.started_at >= ${since}`;
}
