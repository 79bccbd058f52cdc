import { type Headers, Problem } from './problem.ts';

/** A route on its way out (contract 9); dates are `YYYY-MM-DD`, and begin at midnight UTC. */
export interface Deprecation {
  /** When that was announced. */
  since: string;
  /** From this date on it answers nothing but 410. */
  sunset: string;
}

const MONTHS_OF_NOTICE = 6;

/** @throws Error unless callers have six months from the announcement to the sunset. */
export function requireNotice(deprecation: Deprecation | null): void {
  if (deprecation === null) {
    return;
  }
  const earliest = midnight(deprecation.since);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_OF_NOTICE);
  if (midnight(deprecation.sunset) < earliest) {
    throw new Error(`${deprecation.sunset} is less than six months after ${deprecation.since}`);
  }
}

/** What every answer of a deprecated route carries (contract 9, RFC 8594). */
export function deprecationHeaders({ sunset }: Deprecation): Headers {
  return { Deprecation: 'true', Sunset: midnight(sunset).toUTCString() };
}

/** @throws Problem `gone` if the sunset is not after `now`, in milliseconds since 1970. */
export function refuseAfterSunset({ sunset }: Deprecation, now: number): void {
  if (midnight(sunset).getTime() <= now) {
    throw new Problem('gone', `This operation was discontinued on ${sunset}`);
  }
}

/** @throws Error if it is no date. */
function midnight(date: string): Date {
  const time = new Date(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(time.getTime())) {
    throw new Error(`${date} is not a date`);
  }
  return time;
}
