import fc from 'fast-check';
import { anInstant, anRssi, START } from '../../../support/sightings.ts';

const SECOND = 1_000_000;

/** A read of one asset at one of three locations, some of them by a person. */
export interface RandomRead {
  location: number;
  at: number;
  rssi: number | null;
  isByPerson: boolean;
}

const aRandomRead: fc.Arbitrary<RandomRead> = fc.record({
  location: fc.integer({ min: 1, max: 3 }),
  at: anInstant,
  rssi: anRssi,
  isByPerson: fc.nat({ max: 9 }).map((dice) => dice === 0),
});

/** An asset that goes from one location to the next, seen by both on the way, one growing stronger and one weaker. */
const aPassage: fc.Arbitrary<RandomRead[]> = fc
  .record({
    step: fc.integer({ min: 3, max: 14 }),
    from: fc.integer({ min: 1, max: 3 }),
    by: fc.integer({ min: 1, max: 2 }),
    reads: fc.array(
      fc.record({ dice: fc.nat(99), noise: fc.integer({ min: -9, max: 9 }), kind: fc.nat(24) }),
      {
        minLength: 4,
        maxLength: 24,
      },
    ),
  })
  .map(({ step, from, by, reads }) =>
    reads.map(({ dice, noise, kind }, index) => {
      const way = (100 * (index + 0.5)) / reads.length;
      const isThere = dice < way;
      const isByPerson = kind === 0;
      const rssi = kind < 3 ? null : Math.round(-40 - (isThere ? 100 - way : way) / 5 + noise);
      const location = isThere ? ((from - 1 + by) % 3) + 1 : from;
      return { location, at: START + index * step * 100_000, rssi, isByPerson };
    }),
  );

/** An asset seen at one location and then at the next, now weak and now strong, so that strength proves it first. */
const aHandover: fc.Arbitrary<RandomRead[]> = fc
  .record({
    step: fc.integer({ min: 3, max: 7 }),
    from: fc.integer({ min: 1, max: 3 }),
    there: fc.integer({ min: 1, max: 4 }),
    reads: fc.array(fc.record({ noise: fc.integer({ min: -14, max: 14 }), kind: fc.nat(24) }), {
      minLength: 8,
      maxLength: 20,
    }),
  })
  .map(({ step, from, there, reads }) =>
    reads.map(({ noise, kind }, index) => {
      const isThere = index >= there !== (kind === 24);
      const rssi = kind === 1 ? null : (isThere && index > there ? -46 : -56) + noise;
      const location = isThere ? (from % 3) + 1 : from;
      return { location, at: START + index * step * 100_000, rssi, isByPerson: kind === 0 };
    }),
  );

const withinHalfAMinute: fc.Arbitrary<RandomRead[]> = fc.oneof(
  { arbitrary: fc.array(aRandomRead, { minLength: 1, maxLength: 30 }), weight: 1 },
  { arbitrary: aPassage, weight: 1 },
  { arbitrary: aHandover, weight: 9 },
  {
    arbitrary: fc
      .tuple(fc.oneof(aPassage, aHandover), fc.array(aRandomRead, { maxLength: 3 }))
      .map(([passage, others]) => [...passage, ...others]),
    weight: 1,
  },
);

/** Sets of reads: any at all, and assets on their way, some of them with any read between; within half a minute to half an hour. */
export const someReads: fc.Arbitrary<RandomRead[]> = fc
  .tuple(fc.constantFrom(1, 1, 8, 60), withinHalfAMinute)
  .map(([scale, reads]) => reads.map((read) => ({ ...read, at: START + (read.at - START) * scale })));

/** Reads of a few instants, at most of which the asset is seen at several locations. */
export const manyAtOnce: fc.Arbitrary<RandomRead[]> = fc.array(
  fc
    .tuple(aRandomRead, fc.nat({ max: 7 }))
    .map(([read, step]): RandomRead => ({ ...read, at: START + step * SECOND })),
  { minLength: 4, maxLength: 24 },
);

/**
 * A minute or two at three antennas that each read twice a second, or now and then; in batches of half a second or so, some
 * of which come late, and with silences. One antenna may be cut off, so that all of its reads come much later, in order.
 */
export const aLongWalk: fc.Arbitrary<RandomRead[][]> = fc
  .record({
    seconds: fc.integer({ min: 20, max: 120 }),
    every: fc.constantFrom(0.5, 0.5, 0.7, 3, 11),
    silence: fc.constantFrom(0, 0, 4, 16, 40),
    lateness: fc.constantFrom(0, 0, 1, 6, 30),
    cutOff: fc.constantFrom(0, 0, 20, 50, 100, 400),
    dice: fc.infiniteStream(fc.nat({ max: 9_999 })),
  })
  .map(({ seconds, every, silence, lateness, cutOff, dice }) => {
    const next = (count: number) => (dice.next().value ?? 0) % count;
    const reads: (RandomRead & { comes: number })[] = [];
    for (let at = 0; at < seconds; at += every) {
      const isSilent = at > seconds / 2 && at < seconds / 2 + silence;
      for (const location of [1, 2, 3]) {
        if (!isSilent && next(5) > 0) {
          const nearest = 1 + (Math.floor(at / 12) % 3);
          const rssi = next(30) === 0 ? null : -60 + (location === nearest ? 6 : 0) + next(9);
          const isByPerson = next(200) === 0;
          const late = next(20) === 0 ? next(1 + lateness * 10) / 10 : 0;
          const time = START + Math.round((at + location / 7) * SECOND);
          const comes = time + (late + (location === 2 ? cutOff : 0)) * SECOND;
          reads.push({ location, at: time, rssi, isByPerson, comes });
        }
      }
    }
    const batches = Map.groupBy(
      reads.toSorted((a, b) => a.comes - b.comes),
      ({ comes }) => Math.floor(comes / (0.6 * SECOND)),
    );
    return [...batches.values()].map((batch) => batch.map(({ comes: _, ...read }) => read));
  });

/** How the reads of a set may come. */
export const ARRIVALS = ['in order', 'nearly in order', 'backwards', 'in any order', 'all at once'] as const;

/** `all` as they arrive, in batches; some of them twice, but for those in order. */
export function arriving(
  all: readonly RandomRead[],
  how: (typeof ARRIVALS)[number],
  next: () => number,
): RandomRead[][] {
  const byTime = all.toSorted((a, b) => a.at - b.at);
  if (how === 'all at once') {
    return [byTime];
  }
  const isInOrder = how === 'in order';
  const lateness = { 'in order': 0, 'nearly in order': 3, backwards: 0, 'in any order': 100 }[how];
  const copies = isInOrder ? byTime : [...byTime, ...byTime.filter(() => next() % 4 === 0)];
  const ordered = copies
    .map((read) => ({
      read,
      order: (read.at - START) / 700_001 + (lateness === 0 ? 0 : next() % (lateness + 1)),
    }))
    .sort((a, b) => (how === 'backwards' ? b.order - a.order : a.order - b.order))
    .map(({ read }) => read);
  const most = next() % 2 === 0 ? 1 : 6;
  const batches: RandomRead[][] = [];
  for (let start = 0; start < ordered.length; ) {
    const size = 1 + (next() % most);
    // A batch in order takes all that is of one instant, or the rest of that would be late.
    const end = isInOrder ? endOfInstant(ordered, start + size) : start + size;
    batches.push(ordered.slice(start, end));
    start = end;
  }
  return batches;
}

function endOfInstant(ordered: readonly RandomRead[], end: number): number {
  const last = ordered[end - 1]?.at;
  const after = ordered.findIndex(({ at }, index) => index >= end && at !== last);
  return after === -1 ? ordered.length : after;
}
