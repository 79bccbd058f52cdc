import { MICROS_PER_MILLISECOND, type Micros } from '../../../../../base/instant.ts';

const FROM = Date.UTC(2015, 0, 1) * MICROS_PER_MILLISECOND;
const UNTIL = Date.UTC(2101, 0, 1) * MICROS_PER_MILLISECOND;

/** True for the time since boot, or since 1970, of a clock that was not set. */
export function isBeforeAnyDevice(instant: Micros): boolean {
  return instant < FROM;
}

/** False for the time since boot, or 1970, of an unset clock. */
export function isPlausible(instant: Micros): boolean {
  return instant >= FROM && instant < UNTIL;
}
