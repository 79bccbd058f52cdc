import { type Headers, Problem } from './problem.ts';

/** Deprecation of a route (contract 9). Dates are `YYYY-MM-DD`, from midnight UTC. */
export interface Deprecation {
  since: string;
  /** Date from which it answers 410 only. */
  sunset: string;
}

const MONTHS_OF_NOTICE = 6;

/** @throws Error unless six months lie between announcement and sunset. */
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

/** Contract 9, RFC 8594. */
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
