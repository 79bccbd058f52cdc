import { InvalidArgumentError } from 'commander';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { parseTimestamp } from '../../../base/timestamps.ts';

export function time(text: string): Micros {
  const instant = parseTimestamp(text);
  if (instant === null) {
    throw new InvalidArgumentError('It is an RFC 3339 time, such as 2026-05-01T10:00:00Z.');
  }
  return Date.parse(`${instant.slice(0, 19)}Z`) * MICROS_PER_MILLISECOND + Number(instant.slice(20, 26));
}

export function shownTime(at: Micros): string {
  return new Date(Math.floor(at / MICROS_PER_MILLISECOND)).toISOString();
}
