import { MICROS_PER_MILLISECOND, type Micros } from '../../base/instant.ts';
import { type Instant, toMicros } from '../../base/timestamps.ts';
import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** A stretch of time, in whole milliseconds, without its end. Without any instant where `from` is not before `to`. */
export type Window = { readonly from: Micros; readonly to: Micros };

/** Cuts both to milliseconds, as the wire shows instants. */
export function windowOf(from: Micros, to: Micros): Window {
  return { from: cut(from), to: cut(to) };
}

/** The window that has one microsecond: the last before `until`. */
export function lastBefore(until: Micros): Window {
  return { from: until - 1, to: until };
}

/** The first instant after the given one: milliseconds include everything shown as that instant. */
export function firstAfter({
  instant,
  isMilliseconds,
}: {
  instant: Instant;
  isMilliseconds: boolean;
}): Micros {
  return toMicros(instant) + (isMilliseconds ? MICROS_PER_MILLISECOND : 1);
}

export function isEmpty({ from, to }: Window): boolean {
  return from >= to;
}

/** For a window that is not empty. */
export function rangeOf({ from, to }: Window): FragmentSqlToken {
  return sql.fragment`tstzrange(time_of_micros(${from}), time_of_micros(${to}))`;
}

function cut(at: Micros): Micros {
  return Math.floor(at / MICROS_PER_MILLISECOND) * MICROS_PER_MILLISECOND;
}
