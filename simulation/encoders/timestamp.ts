import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** RFC 3339 in UTC with milliseconds; finer digits are cut off. */
export function milliseconds(at: Micros): string {
  return new Date(Math.floor(at / MICROS_PER_MILLISECOND)).toISOString();
}

/** RFC 3339 in UTC with microseconds. */
export function microseconds(at: Micros): string {
  const fraction = String(at % MICROS_PER_SECOND).padStart(6, '0');
  return `${milliseconds(at).slice(0, 19)}.${fraction}Z`;
}
