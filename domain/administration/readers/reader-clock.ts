import { sql } from '../../../db/timescale/queries/sql.ts';

/** A reader's clock compared with this service's; `minutes` counts those it was seen in, at most 31. */
export interface ReaderClock {
  /** Median of received minus observed; negative if the clock is ahead. */
  behind_seconds: number;
  spread_seconds: number;
  minutes: number;
  /** Ahead, or steadily behind, by more than the tolerance. */
  wrong: boolean;
  /** Off by as much, but not for long enough to be called wrong. */
  doubtful: boolean;
}

const MEASURED = sql.fragment`(
    select percentile_cont(array[0.25, 0.5, 0.75]) within group (order by kept) as quartiles, count(*) as minutes
    from unnest(counted.clock_offsets_ms) kept
  ) measured`;

/** Fewer minutes than this prove nothing: a reader that was away replays its buffer. */
const PROVING_MINUTES = 10;

/** Two minutes ahead is what docs/tracking.md allows; five minutes behind is more than gateways buffer. */
const BEHIND_SECONDS = 300;
const AHEAD_SECONDS = 120;

const IS_OFF = sql.fragment`(quartiles[2] > ${BEHIND_SECONDS * 1_000} or quartiles[2] < ${-AHEAD_SECONDS * 1_000})
      and (quartiles[2] < 0 or quartiles[3] - quartiles[1] <= quartiles[2] / 2)`;

/**
 * A reader's clock offset: SQL over a `reader_counters` row named `counted`, giving {@link ReaderClock} as
 * JSON, or null for a reader that sends no times. Buffered reads arrive late, too, but less and less so while
 * they are replayed: their spread is as large as the median.
 */
export const READER_CLOCK = sql.fragment`(
  select json_build_object(
    'behind_seconds', round(quartiles[2]::numeric / 1000, 1),
    'spread_seconds', round((quartiles[3] - quartiles[1])::numeric / 1000, 1),
    'minutes', minutes,
    'wrong', minutes >= ${PROVING_MINUTES} and ${IS_OFF},
    'doubtful', minutes < ${PROVING_MINUTES} and ${IS_OFF}
  )
  from ${MEASURED}
  where minutes > 0
)`;
