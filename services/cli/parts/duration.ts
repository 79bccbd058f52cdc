import { InvalidArgumentError } from 'commander';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Seconds of a duration such as 60s, 5m or 1h; NaN for anything else. */
export function secondsIn(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number) * SECONDS[unit as keyof typeof SECONDS];
}

/** Seconds as {@link secondsIn} reads them, in the largest unit that is exact. */
export function lasting(seconds: number): string {
  const units = Object.entries(SECONDS).toReversed();
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

export function duration(text: string): Micros {
  const seconds = secondsIn(text);
  if (Number.isNaN(seconds)) {
    throw new InvalidArgumentError('It must be a duration, such as 90s, 5m, 2h or 1d.');
  }
  return seconds * MICROS_PER_SECOND;
}
