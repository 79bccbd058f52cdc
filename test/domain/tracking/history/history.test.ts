import { expect } from 'chai';
import fc from 'fast-check';
import { history, type Sighting } from '../../../../domain/tracking/history/history.ts';
import { revise, type Span } from '../../../../domain/tracking/history/revise.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aScanned, decidedHistoryByDefinition } from '../../../support/sightings.ts';

describe('history', () => {
  const A = 1;
  const B = 2;
  const at = (time: string, locationId: number, rssi: number | null = null): Sighting => ({
    observedAt: Date.parse(`2026-05-01T${time}Z`) * 1_000,
    locationId,
    rssi,
  });
  const rows = (sightings: Sighting[]) =>
    history(sightings).map(({ observedAt, locationId, durationSeconds }) => [
      new Date(observedAt / 1_000).toISOString().slice(11, -1),
      locationId === A ? 'A' : 'B',
      durationSeconds,
    ]);

  it('is as in the worked example, after every arrival', () => {
    const arrivals = [
      at('10:00:00.000', A),
      at('10:05:00.000', A),
      at('10:10:00.900', B),
      at('10:02:00.000', B),
      at('09:58:00.000', A),
      at('10:05:00.000', A),
    ];
    const afterArrivals = (count: number) => rows(arrivals.slice(0, count));
    expect(afterArrivals(1)).to.deep.equal([['10:00:00.000', 'A', null]]);
    expect(afterArrivals(2)).to.deep.equal(afterArrivals(1));
    expect(afterArrivals(3)).to.deep.equal([
      ['10:00:00.000', 'A', null],
      ['10:10:00.900', 'B', 600],
    ]);
    expect(afterArrivals(4)).to.deep.equal([
      ['10:00:00.000', 'A', null],
      ['10:02:00.000', 'B', 120],
      ['10:05:00.000', 'A', 180],
      ['10:10:00.900', 'B', 300],
    ]);
    expect(afterArrivals(5)).to.deep.equal([
      ['09:58:00.000', 'A', null],
      ['10:02:00.000', 'B', 240],
      ['10:05:00.000', 'A', 180],
      ['10:10:00.900', 'B', 300],
    ]);
    expect(afterArrivals(6)).to.deep.equal(afterArrivals(5));
  });

  it('keeps of one instant the strongest, none being weakest, then the smallest location', () => {
    const location = (...rivals: Sighting[]) => history(rivals).map(({ locationId }) => locationId);
    const now = '10:00:00.000';
    expect(location(at(now, A, -70), at(now, B, -60.5))).to.deep.equal([B]);
    expect(location(at(now, A, null), at(now, B, -99))).to.deep.equal([B]);
    expect(location(at(now, B, -60), at(now, A, -60))).to.deep.equal([A]);
    expect(location(at(now, B, null), at(now, A, null))).to.deep.equal([A]);
  });

  it('rounds durations down to whole seconds', () => {
    expect(rows([at('10:00:00.001', A), at('10:00:02.000', B)]).at(-1)).to.deep.equal([
      '10:00:02.000',
      'B',
      1,
    ]);
  });

  it('is one function of the set, with the scan that decided each row, whatever the order, the batches and the repetitions (up to 10,000 random sets)', () => {
    fc.assert(
      fc.property(fc.array(aScanned, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (sightings, random) => {
        const expected = decidedHistoryByDefinition(sightings);
        for (let round = 0; round < 3; round++) {
          const repeated = [...sightings, ...sightings.filter(() => next(random) % 4 === 0)];
          const shuffled = shuffle(repeated, random);
          expect(history(shuffled)).to.deep.equal(expected);
          expect(inBatches(shuffled, random)).to.deep.equal(expected);
        }
      }),
      { numRuns: randomSets(10_000) },
    );
  });
});

/** The history that batches lead to, each worked into what the ones before it made. */
function inBatches(sightings: readonly Sighting[], random: fc.Stream<number>) {
  let seen: Sighting[] = [];
  let transitions: ReturnType<typeof history> = [];
  for (let start = 0; start < sightings.length; ) {
    const batch = sightings.slice(start, start + 1 + (next(random) % 8));
    start += batch.length;
    seen = [...seen, ...batch];
    transitions = revise(
      transitions,
      batch.map(({ observedAt }) => spanAt(observedAt, seen)),
    );
  }
  return transitions;
}

function spanAt(from: number, seen: readonly Sighting[]): Span {
  const later = seen.map(({ observedAt }) => observedAt).filter((observedAt) => observedAt > from);
  const to = later.length === 0 ? from : Math.min(...later);
  return { from, to, sightings: seen.filter(({ observedAt }) => observedAt === from || observedAt === to) };
}

function shuffle<Value>(values: readonly Value[], random: fc.Stream<number>): Value[] {
  return values
    .map((value) => ({ value, order: next(random) }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

function next(random: fc.Stream<number>): number {
  const { value } = random.next();
  return value ?? 0;
}
