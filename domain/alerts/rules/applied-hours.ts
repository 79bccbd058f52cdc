import { type FieldIssue, invalidValue } from '../../../base/checks/issues.ts';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import { HOURS_REMEDY, parseHours } from './hours-text.ts';
import type { RuleSettings } from './settings.ts';

/** Hours of work with a change; hours that are taken away take their time zone with them. */
export function appliedHours(
  issues: FieldIssue[],
  before: RuleSettings['hours'],
  given: { hours?: string | null | undefined; timeZone?: string | null | undefined },
): RuleSettings['hours'] {
  const text = given.hours === undefined ? (before?.text ?? null) : given.hours;
  const timeZone = given.timeZone === undefined ? (before?.timeZone ?? null) : given.timeZone;
  if (text === null) {
    if (given.timeZone != null) {
      issues.push(invalidValue('time_zone', 'must be left out without hours'));
    }
    return null;
  }
  if (parseHours(text) === null) {
    issues.push(invalidValue('hours', HOURS_REMEDY));
  }
  const known = timeZone === null ? null : timeZoneNamed(timeZone);
  if (known === null) {
    const rule = 'must be a time zone of the IANA database where there are hours, e.g. Europe/Berlin';
    issues.push(invalidValue('time_zone', rule));
    return null;
  }
  return { text, timeZone: known };
}
