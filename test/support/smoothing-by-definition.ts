import fc from 'fast-check';
import type { Transition } from '../../domain/tracking/history/history.ts';
import type { Seen } from '../../domain/tracking/smoothing/counting.ts';
import type { DatedSmoothing, Smoothing } from '../../domain/tracking/smoothing/settings.ts';
import { anInstant, aSighting, historyByDefinition, START } from './sightings.ts';

const SECOND = 1_000_000;

export const aSmoothing: fc.Arbitrary<Smoothing> = fc
  .record({
    window: fc.integer({ min: 1, max: 9 }),
    minimum: fc.option(fc.integer({ min: 1, max: 9 })),
    margin: fc.option(fc.integer({ min: 1, max: 3 })),
  })
  .map(({ window, minimum, margin }) => ({
    window: window * SECOND,
    minimum: minimum === null && margin !== null ? null : Math.min(minimum ?? 1, window) * SECOND,
    margin,
  }));

export const aSeen: fc.Arbitrary<Seen> = fc
  .tuple(aSighting, fc.nat({ max: 9 }))
  .map(([sighting, dice]) => ({ ...sighting, isByPerson: dice === 0 }));

const aSetting = fc.oneof(
  { arbitrary: aSmoothing, weight: 4 },
  { arbitrary: fc.constant('off' as const), weight: 1 },
);

/** Settings of an organization and of some of its locations, some from before the sightings and some amid them. */
export const someSettings: fc.Arbitrary<DatedSmoothing[]> = fc.array(
  fc
    .record({
      locationId: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
      validFrom: fc.oneof(fc.constant(START - SECOND), anInstant),
      smoothing: fc.oneof(
        { arbitrary: aSetting, weight: 5 },
        { arbitrary: fc.constant('inherit' as const), weight: 1 },
      ),
    })
    .map((dated) =>
      dated.locationId === null && dated.smoothing === 'inherit'
        ? { ...dated, smoothing: 'off' as const }
        : dated,
    ),
  { maxLength: 4 },
);

/** The rule, said as plainly as can be and without regard to cost. */
export function countingByDefinition(seen: readonly Seen[], dated: readonly DatedSmoothing[]): Seen[] {
  const instants = [...new Set(seen.map(({ observedAt }) => observedAt))].sort((a, b) => a - b);
  const winners = instants.map((instant): Seen => {
    const rivals = seen.filter(({ observedAt }) => observedAt === instant);
    const isSmoothed = rivals.some((one) => smoothingByDefinition(dated, one) !== null);
    const byPerson = rivals.filter((one) => one.isByPerson);
    const strength = (one: Seen) => one.rssi ?? Number.NEGATIVE_INFINITY;
    const [best] = (isSmoothed && byPerson.length > 0 ? byPerson : rivals).sort((a, b) =>
      strength(a) === strength(b) ? a.locationId - b.locationId : strength(b) > strength(a) ? 1 : -1,
    );
    if (best === undefined) {
      throw new Error('an instant without a scan');
    }
    return best;
  });
  return winners.filter((scan) => {
    const smoothing = smoothingByDefinition(dated, scan);
    return smoothing === null || scan.isByPerson || hasProof(scan, winners, smoothing);
  });
}

export function smoothedHistoryByDefinition(
  seen: readonly Seen[],
  dated: readonly DatedSmoothing[],
): Transition[] {
  return historyByDefinition(countingByDefinition(seen, dated));
}

function smoothingByDefinition(dated: readonly DatedSmoothing[], scan: Seen): Smoothing | null {
  const latest = (locationId: number | null) => {
    const held = dated.filter((each) => each.locationId === locationId && each.validFrom <= scan.observedAt);
    const newest = Math.max(...held.map(({ validFrom }) => validFrom));
    return held.findLast(({ validFrom }) => validFrom === newest)?.smoothing;
  };
  const own = latest(scan.locationId);
  const held = own === undefined || own === 'inherit' ? latest(null) : own;
  return typeof held === 'object' ? held : null;
}

function hasProof(scan: Seen, winners: readonly Seen[], { window, minimum, margin }: Smoothing): boolean {
  const isHere = (one: Seen) => one.locationId === scan.locationId;
  const before = winners.filter(
    ({ observedAt }) => observedAt >= scan.observedAt - window && observedAt <= scan.observedAt,
  );
  if (before.every(isHere)) {
    return true;
  }
  const around = winners.filter(({ observedAt }) => Math.abs(observedAt - scan.observedAt) <= window);
  const isSeenLongEnough = around.some((first) =>
    around.some(
      (last) =>
        minimum !== null &&
        first.observedAt <= scan.observedAt &&
        scan.observedAt <= last.observedAt &&
        last.observedAt - first.observedAt >= minimum &&
        around
          .filter(({ observedAt }) => observedAt >= first.observedAt && observedAt <= last.observedAt)
          .every(isHere),
    ),
  );
  const places = Map.groupBy(before, ({ locationId }) => locationId);
  const strongestAt = (place: number) => {
    const known = (places.get(place) ?? []).flatMap(({ rssi }) => (rssi === null ? [] : [rssi]));
    return known.length === 0 ? null : Math.max(...known);
  };
  const here = strongestAt(scan.locationId);
  const isStronger = [...places.keys()]
    .filter((place) => place !== scan.locationId)
    .every((place) => {
      const there = strongestAt(place);
      return margin !== null && here !== null && there !== null && here - there >= margin;
    });
  return isSeenLongEnough || isStronger;
}
