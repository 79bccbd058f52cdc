import type { Micros } from '../../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../../base/timestamps.ts';
import type { TouchedAlert } from './touched-alert.ts';

/** What is the case, or was: "Pallet 17 is at Ramp, where it must not be". */
function whatOf(alert: TouchedAlert): string {
  const { kind, subject, location, isMissing } = alert;
  const isOver = alert.state === 'closed' || alert.state === 'withdrawn';
  const is = isOver ? 'was' : 'is';
  const where = location ?? 'a location';
  switch (kind) {
    case 'overdue':
      return `${subject} ${is} ${isMissing ? 'missing' : 'overdue'}${location === null ? '' : `, last seen at ${location}`}`;
    case 'dwell':
      return `${subject} ${isOver ? 'was' : 'has been'} at ${where} for too long`;
    case 'not_allowed':
      return `${subject} ${is} at ${where}, where it must not be`;
    case 'must_be':
      return `${subject} ${is} away from where it must be${location === null ? '' : `, at ${location}`}`;
    case 'reader':
      return `Reader ${subject} ${isOver ? 'was not' : 'is not'} heard`;
  }
}

/** One line of a letter, without the rule. */
export function lineOf(alert: TouchedAlert): string {
  const { state, level, openedAt, closedAt } = alert;
  const what = whatOf(alert);
  if (state === 'withdrawn') {
    return `Withdrawn, it was not so: ${what}`;
  }
  if (state === 'closed' && closedAt !== null) {
    return `Over: ${what}, from ${minute(openedAt)} to ${minute(closedAt)}`;
  }
  return `${level === 'warning' ? 'Warning: ' : ''}${what}, since ${minute(openedAt)}`;
}

/** As UTC: nobody knows in which zone it is read. */
function minute(at: Micros): string {
  return `${wireTimeOfMicros(at).slice(0, 16).replace('T', ' ')} UTC`;
}
