import { sql } from '../../../db/timescale/queries/sql.ts';

/** How a reader's clock compares with this service's; `minutes` are those it was seen in, at most 31. */
export interface ReaderClock {
  /** The median of received minus observed; negative if the clock is ahead. */
  behind_seconds: number;
  /** Between the quartiles. */
  spread_seconds: number;
  minutes: number;
  /** Off by more than is tolerated, and steadily so. */
  wrong: boolean;
}

/**
 * What to think of a reader's clock: SQL over a row of `reader_counters` named `counted`, giving {@link ReaderClock} as
 * JSON, or null of a reader that sends no times. Buffered reads come late, too, but ever less so while they are
 * replayed: then the spread is as large as the median. Ahead by two minutes is what docs/tracking.md allows; five minutes
 * behind is more than gateways gather.
 */
export const READER_CLOCK = sql.fragment`(
  select json_build_object(
    'behind_seconds', round(quartiles[2]::numeric / 1000, 1),
    'spread_seconds', round((quartiles[3] - quartiles[1])::numeric / 1000, 1),
    'minutes', minutes,
    'wrong', minutes >= 10 and (quartiles[2] > 300000 or quartiles[2] < -120000)
      and quartiles[3] - quartiles[1] <= abs(quartiles[2]) / 2
  )
  from (
    select percentile_cont(array[0.25, 0.5, 0.75]) within group (order by kept) as quartiles, count(*) as minutes
    from unnest(counted.clock_offsets_ms) kept
  ) measured
  where minutes > 0
)`;
