import { sql } from '../../../db/timescale/queries/sql.ts';

/** Unusable parts of a reader's messages, and refused pushes. */
export interface ReaderFlaws {
  /** Reads whose signal strength no radio has: they count without one. */
  rssi_unusable: number;
  rssi_example: string | null;
  /** Reads whose time could not be read: they count when they come. */
  time_unreadable: number;
  time_example: string | null;
  /** Reads by a clock that was not set, which count when they come; and whether it still is not. */
  clock_unset: number;
  clock_is_unset: boolean;
  /** Ignored messages, or parts, that hold something like a tag; one an hour is kept. */
  near_misses: number;
  /** Reads with a measured value that is impossible: they count without it. */
  readings_unusable: number;
  readings_example: string | null;
  /** Pushes over HTTP that were answered 429. */
  pushes_refused: number;
}

/** No time of a set clock came after the last one of an unset clock; over `reader_flaws flawed` and `reader_counters counted`. */
export const CLOCK_IS_UNSET = sql.fragment`(flawed.clock_unset_at is not null
  and (counted.clock_minute is null or flawed.clock_unset_at >= to_timestamp(60.0 * (counted.clock_minute + 1))))`;

/** {@link ReaderFlaws} as JSON, over `readers reader` and its row of `reader_counters` as `counted`, if it has one. */
export const READER_FLAWS = sql.fragment`(
  select json_build_object(
    'rssi_unusable', coalesce(flawed.rssi_unusable, 0), 'rssi_example', flawed.rssi_example,
    'time_unreadable', coalesce(flawed.time_unreadable, 0), 'time_example', flawed.time_example,
    'clock_unset', coalesce(flawed.clock_unset, 0),
    'clock_is_unset', ${CLOCK_IS_UNSET}, 'near_misses', coalesce(flawed.near_misses, 0),
    'readings_unusable', coalesce(flawed.readings_unusable, 0), 'readings_example', flawed.readings_example,
    'pushes_refused', coalesce(flawed.pushes_refused, 0))
  from (select) one
  left join reader_flaws flawed on flawed.org_id = reader.org_id and flawed.reader_id = reader.id
)`;
