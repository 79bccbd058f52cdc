import fc from 'fast-check';
import type { DecidingScan, Proof } from '../../domain/tracking/history/deciding-scan.ts';
import type { DecidedTransition, Transition } from '../../domain/tracking/history/history.ts';
import type { Seen } from '../../domain/tracking/smoothing/counting.ts';
import type { DatedSmoothing, Smoothing } from '../../domain/tracking/smoothing/settings.ts';
import {
  anInstant,
  aScanned,
  decidedHistoryByDefinition,
  historyByDefinition,
  START,
  winnerByDefinition,
} from './sightings.ts';

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

/** One in ten by a person. */
export const aSeen: fc.Arbitrary<Seen> = fc
  .tuple(aScanned, fc.nat({ max: 4 }))
  .map(([{ scan, ...sighting }, dice]) => {
    const source =
      scan.source.kind === 'handheld' && dice > 0
        ? { kind: 'reader' as const, readerId: 8, antenna: dice }
        : scan.source;
    return { ...sighting, isByPerson: source.kind === 'handheld', scan: { ...scan, source } };
  });

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

/** The rule, said as plainly as can be and without regard to cost: the scans that count, and the first reason of each. */
export function reasonsByDefinition(
  seen: readonly Seen[],
  dated: readonly DatedSmoothing[],
): { scan: Seen; reason: string }[] {
  const instants = [...new Set(seen.map(({ observedAt }) => observedAt))].sort((a, b) => a - b);
  const winners = instants.map((instant): Seen => {
    const rivals = seen.filter(({ observedAt }) => observedAt === instant);
    const isSmoothed = rivals.some((one) => smoothingByDefinition(dated, one) !== null);
    const byPerson = rivals.filter((one) => one.isByPerson);
    return winnerByDefinition(isSmoothed && byPerson.length > 0 ? byPerson : rivals);
  });
  return winners.flatMap((scan) => {
    const reason = reasonOf(scan, winners, smoothingByDefinition(dated, scan));
    return reason === null ? [] : [{ scan, reason }];
  });
}

export function countingByDefinition(seen: readonly Seen[], dated: readonly DatedSmoothing[]): Seen[] {
  return reasonsByDefinition(seen, dated).map(({ scan }) => scan);
}

export function smoothedHistoryByDefinition(
  seen: readonly Seen[],
  dated: readonly DatedSmoothing[],
): Transition[] {
  return historyByDefinition(countingByDefinition(seen, dated));
}

/** As {@link smoothedHistoryByDefinition}, with the scan that decided each row. */
export function decidedSmoothedHistory(
  seen: readonly Seen[],
  dated: readonly DatedSmoothing[],
): DecidedTransition[] {
  const counting = reasonsByDefinition(seen, dated).map(({ scan, reason }) => ({
    ...scan,
    scan: withProof(scan.scan ?? null, reason),
  }));
  return decidedHistoryByDefinition(counting);
}

function withProof(scan: DecidingScan | null, reason: string): DecidingScan | null {
  const isAsked = reason !== 'person' && reason !== 'smoothing_off';
  return scan === null || !isAsked ? scan : { ...scan, proof: reason as Proof };
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

function reasonOf(scan: Seen, winners: readonly Seen[], smoothing: Smoothing | null): string | null {
  if (scan.isByPerson) {
    return 'person';
  }
  return smoothing === null ? 'smoothing_off' : proofOf(scan, winners, smoothing);
}

function proofOf(
  scan: Seen,
  winners: readonly Seen[],
  { window, minimum, margin }: Smoothing,
): string | null {
  const isHere = (one: Seen) => one.locationId === scan.locationId;
  const before = winners.filter(
    ({ observedAt }) => observedAt >= scan.observedAt - window && observedAt <= scan.observedAt,
  );
  if (before.every(isHere)) {
    return 'no_rival';
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
  if (isSeenLongEnough) {
    return 'long_enough';
  }
  return isStronger ? 'stronger' : null;
}
