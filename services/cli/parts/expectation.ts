import { InvalidArgumentError } from 'commander';
import { EXPECTED } from '../../../domain/presence/expectations.ts';
import { secondsIn } from './duration.ts';

export const EXPECT_HELP =
  'how long it may say nothing before it is silent, as 60s, 5m or 1h; learned for what its messages show';

/** Seconds, or `learned`. */
export function expectation(text: string): number | 'learned' {
  if (text === 'learned') {
    return text;
  }
  const seconds = secondsIn(text);
  if (!(seconds >= EXPECTED.least && seconds <= EXPECTED.most)) {
    throw new InvalidArgumentError('It is learned, or a duration from 15s to 1d, as 60s, 5m or 1h.');
  }
  return seconds;
}

/** Null for what is learned. */
export function secondsOf(expected: number | 'learned'): number | null {
  return expected === 'learned' ? null : expected;
}

export function sayExpectation(seconds: number | null): string {
  return seconds === null ? 'learned' : `${seconds}s`;
}
