import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { AHEAD_TOLERANCE } from '../observed-at.ts';

/**
 * A clock that ran ahead, and the time, by that clock, in which it dated data: from `from` on, before `to`. The window
 * is not longer than `ahead`, so mended data is outside and not found again.
 */
export interface WrongClock {
  from: Micros;
  to: Micros;
  ahead: Micros;
  /**
   * A right clock received nothing in the window. So a device's time that one would not have used is of a device whose
   * clock was ahead, too; else it tells that a right clock received the read.
   */
  isAll: boolean;
}

/** A read that came later than this keeps its wrong time of reception, on which no history depends. */
const LATEST_ARRIVAL: Micros = MICROS_PER_DAY;

/** Before everything that was observed and is mended. */
export function firstObserved({ from, ahead }: Pick<WrongClock, 'from' | 'ahead'>): Micros {
  return from - ahead - LATEST_ARRIVAL;
}

/** Of an organization's scans: those received in the window. */
export function inWindow(orgId: number, clock: WrongClock): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId}::integer
    and observed_at >= time_of_micros(${firstObserved(clock)}::bigint)
    and observed_at <= time_of_micros(${clock.to + AHEAD_TOLERANCE}::bigint)
    and received_at >= time_of_micros(${clock.from}::bigint) and received_at < time_of_micros(${clock.to}::bigint)`;
}

/** Whether a scan in the window is of a reader and dated by its device, as by a right clock: only its reception is wrong. */
export function isReceivedEarlier(clock: WrongClock): FragmentSqlToken {
  return sql.fragment`(reader_id is not null and ${countsByDevice(clock)})`;
}

/** Whether a scan in the window was observed earlier: dated by the reception, or of a handheld, whose clock is set by ours. */
export function isObservedEarlier(clock: WrongClock): FragmentSqlToken {
  return clock.isAll
    ? sql.fragment`(reader_id is null or not ${countsByDevice(clock)})`
    : sql.fragment`(reader_id is not null and time_is_received)`;
}

/** When such a scan was observed. */
export function observedEarlier({ ahead }: WrongClock): FragmentSqlToken {
  return sql.fragment`case when reader_id is null then observed_at else received_at end
    - ${ahead}::bigint * interval '1 microsecond'`;
}

/** As `isDeviceTimeUsed` of the mended reception. */
function countsByDevice({ ahead }: WrongClock): FragmentSqlToken {
  return sql.fragment`(not time_is_received
    and observed_at <= received_at - ${ahead - AHEAD_TOLERANCE}::bigint * interval '1 microsecond')`;
}

/** The mended reception, of scans and messages. */
export function receivedEarlier({ ahead }: WrongClock): FragmentSqlToken {
  return sql.fragment`received_at - ${ahead}::bigint * interval '1 microsecond'`;
}
