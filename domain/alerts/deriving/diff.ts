import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { AlertDifference, FoundStretch, StoredAlert } from '../stored/alert.ts';

/**
 * What makes stored alerts those that follow from the evidence. An alert belongs to the stretch in which it was opened, so
 * that what begins again is news, also to who has acknowledged what there was before. If it was opened in none, it belongs to
 * the one that it overlaps most, of equal ones to the earliest; what is not over counts up to the end of the window. Never to
 * one that began after somebody took notice of the alert: that is another incident. A stretch has one alert.
 *
 *     stored    |--- a ---|          |--- b ---|       |- c -|
 *     derived   |--|   |-----|         |-| |------|             |-|
 *               a ends sooner; b begins later; of the others three are new, and c is withdrawn
 *
 * @param stored all that reach into the window, in any order.
 * @param derived all that reach into the window, sorted and disjoint. What began before it may have begun even earlier.
 */
export function differenceOf(
  stored: readonly StoredAlert[],
  derived: readonly FoundStretch[],
  window: Interval,
): AlertDifference {
  const ofAlert = new Map<StoredAlert, FoundStretch>();
  const taken = new Set<FoundStretch>();
  for (const { alert, stretch } of pairs(stored, derived, window)) {
    if (!ofAlert.has(alert) && !taken.has(stretch)) {
      ofAlert.set(alert, stretch);
      taken.add(stretch);
    }
  }
  const difference: AlertDifference = {
    opened: derived.filter((stretch) => !taken.has(stretch)),
    changed: [],
    withdrawn: [],
  };
  for (const alert of stored) {
    const own = ofAlert.get(alert);
    const stretch = own === undefined ? null : withKnownBeginning(own, alert, window);
    if (stretch !== null) {
      if (!isSame(alert, stretch)) {
        difference.changed.push({ id: alert.id, state: stateAfter(alert, stretch), stretch });
      }
    } else if (alert.openedAt >= window.since) {
      difference.withdrawn.push(alert.id);
    } else if (alert.closedAt === null) {
      difference.changed.push({ id: alert.id, state: 'closed', stretch: endedBefore(alert, window) });
    }
  }
  return difference;
}

/** Pairs only overlapping ones: an asset that comes and goes has thousands of each. */
function pairs(stored: readonly StoredAlert[], derived: readonly FoundStretch[], { since, until }: Interval) {
  return stored
    .flatMap((alert) => {
      const first = firstIndex(0, derived.length, (at) => (derived[at]?.until ?? until) > alert.openedAt);
      const behind = firstIndex(
        first,
        derived.length,
        (at) => (derived[at]?.since ?? until) >= (alert.closedAt ?? until),
      );
      return derived.slice(first, behind).map((stretch) => ({
        ...{ alert, stretch },
        isOpening: isWithin(stretch, Math.max(alert.openedAt, since)) ? 1 : 0,
        overlap: overlapOf(alert, stretch, until),
      }));
    })
    .filter(({ alert, stretch, overlap }) => overlap > 0 && isNoticed(alert, stretch))
    .sort(
      (a, b) =>
        b.isOpening - a.isOpening ||
        b.overlap - a.overlap ||
        a.stretch.since - b.stretch.since ||
        a.alert.openedAt - b.alert.openedAt ||
        (a.alert.id < b.alert.id ? -1 : 1),
    );
}

function isWithin({ since, until }: FoundStretch, at: Micros): boolean {
  return since <= at && at < (until ?? Number.POSITIVE_INFINITY);
}

/** People who acknowledged an alert may have meant the stretch. */
function isNoticed({ openedAt, acknowledgedAt }: StoredAlert, { since }: FoundStretch): boolean {
  return acknowledgedAt === null || since <= Math.max(openedAt, acknowledgedAt);
}

function overlapOf({ openedAt, closedAt }: StoredAlert, { since, until }: FoundStretch, end: Micros): Micros {
  return Math.min(closedAt ?? end, until ?? end) - Math.max(openedAt, since);
}

/** Evidence before the window is incomplete. */
function withKnownBeginning(
  stretch: FoundStretch,
  { openedAt, alarmSince, locationId, because }: StoredAlert,
  { since }: Interval,
): FoundStretch {
  if (stretch.since >= since || openedAt >= since) {
    return stretch;
  }
  const isSameLevel = (alarmSince === null) === (stretch.alarmSince === null);
  return isSameLevel && (stretch.alarmSince ?? openedAt) < since
    ? { ...stretch, since: openedAt, alarmSince, locationId, because }
    : { ...stretch, since: openedAt };
}

/** A stretch that ended before the window is settled. */
function endedBefore({ openedAt: since, ...alert }: StoredAlert, window: Interval): FoundStretch {
  const { level, alarmSince, locationId, because } = alert;
  return { since, until: window.since, level, alarmSince, locationId, because };
}

function isSame(alert: StoredAlert, stretch: FoundStretch): boolean {
  return (
    alert.openedAt === stretch.since &&
    alert.closedAt === stretch.until &&
    alert.level === stretch.level &&
    alert.alarmSince === stretch.alarmSince &&
    alert.because === stretch.because
  );
}

/** People who acknowledged an alert hear no more of it until it is over; a new alert that is already over is news to everybody. */
function stateAfter({ state }: StoredAlert, { until }: FoundStretch): StoredAlert['state'] {
  if (until !== null) {
    return 'closed';
  }
  return state === 'closed' ? 'open' : state;
}
