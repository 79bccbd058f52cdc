import { invalid, invalidValue } from '../../base/checks/issues.ts';
import { daysAtMost } from './days.ts';
import type { Window } from './window.ts';

/** Three years, for reports with a row per day. */
const MOST_DAYS = 1_100;

/** @throws Invalid for a window of more days than are counted in one report. */
export function requireFewDays(window: Window): void {
  if (daysAtMost(window) > MOST_DAYS) {
    const rule = `must be at most ${MOST_DAYS - 2} days before to, with group_by=day`;
    throw invalid([invalidValue('from', rule)]);
  }
}
