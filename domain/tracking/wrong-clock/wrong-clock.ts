import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { AHEAD_TOLERANCE } from '../observed-at.ts';

/**
 * A clock that ran ahead, and when, by itself, it received what it dated: from `from` on, before `to`. The window is not
 * longer than `ahead`: so what was mended is outside, and is not found again.
 */
export interface WrongClock {
  from: Micros;
  to: Micros;
  ahead: Micros;
}

/** A read that came later than this keeps its wrong time of reception, on which no history depends. */
const LATEST_ARRIVAL: Micros = MICROS_PER_DAY;

/** Before everything that was observed and is mended. */
export function firstObserved({ from, ahead }: WrongClock): Micros {
  return from - ahead - LATEST_ARRIVAL;
}

/** Of an organization's scans: those received in the window. */
export function inWindow(orgId: number, clock: WrongClock): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId}::integer
    and observed_at >= time_of_micros(${firstObserved(clock)}::bigint)
    and observed_at <= time_of_micros(${clock.to + AHEAD_TOLERANCE}::bigint)
    and received_at >= time_of_micros(${clock.from}::bigint) and received_at < time_of_micros(${clock.to}::bigint)`;
}

/**
 * Whether a scan in the window is of a reader and may be of the wrong clock. Where the device's time counts, a right clock
 * received it if it would lie in the future of the mended reception.
 */
export function isWrong({ ahead }: WrongClock): FragmentSqlToken {
  return sql.fragment`reader_id is not null and (time_is_received
    or observed_at <= received_at - ${ahead - AHEAD_TOLERANCE}::bigint * interval '1 microsecond')`;
}

export function earlier(column: FragmentSqlToken, { ahead }: WrongClock): FragmentSqlToken {
  return sql.fragment`${column} - ${ahead}::bigint * interval '1 microsecond'`;
}
