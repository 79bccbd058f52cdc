import { expect } from 'chai';
import fc from 'fast-check';
import { history } from '../../../../domain/tracking/history/history.ts';
import { countingScans, type Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import { SmoothingSettings } from '../../../../domain/tracking/smoothing/settings.ts';
import { proposed } from '../../../../domain/tracking/smoothing/try-on-assets.ts';
import { type TriedMove, trySmoothing } from '../../../../domain/tracking/smoothing/try-smoothing.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record, storedHistory } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const SECOND = 1_000_000;

describe('a trial of smoothing', () => {
  const database = useDatabase();

  it('finds what recording would have made, however many pages the scans fill', async () => {
    const site = await Site.create(database);
    const locations = [await site.location('A'), await site.location('B'), await site.location('C')];
    const readerId = await site.reader('dock', [null]);
    const assetId = await site.asset('CRATE', 'CRATE');
    // Twelve thousand reads in some three hours, in turns that are short or long.
    const [turns = []] = fc.sample(
      fc.array(fc.record({ location: fc.nat(2), length: fc.integer({ min: 1, max: 9 }) }), {
        minLength: 2_500,
        maxLength: 2_500,
        size: 'max',
      }),
      { numRuns: 1, seed: 7 },
    );
    const seen = turns
      .flatMap(({ location, length }) => Array.from({ length }, () => locations[location] ?? 0))
      .map((locationId, index): Seen => {
        return { observedAt: START + index * SECOND, locationId, rssi: null, isByPerson: false };
      });
    for (let start = 0; start < seen.length; start += 1_000) {
      const scans = seen
        .slice(start, start + 1_000)
        .map(({ observedAt: at, locationId }) =>
          aRead({ orgId: site.orgId, readerId, value: 'CRATE', locationId, at }),
        );
      await record(database, scans);
    }
    const present = new SmoothingSettings([]);
    const setting = { window: 15 * SECOND, minimum: 4 * SECOND, margin: null };
    const smoothed = proposed(present, null, setting);
    const period = { from: START + 500 * SECOND, to: START + (seen.length - 500) * SECOND };
    const client = await database.pool.connect();
    const tried = { kept: 0, disappearing: [] as TriedMove[], appearing: [] as TriedMove[] };
    let parts = 0;
    try {
      const settings = { present, proposed: smoothed };
      for await (const part of trySmoothing(client, { orgId: site.orgId, assetId }, period, settings)) {
        parts += 1;
        tried.kept += part.kept.length;
        tried.disappearing.push(...part.disappearing);
        tried.appearing.push(...part.appearing);
      }
    } finally {
      client.release();
    }

    const inPeriod = ({ observedAt }: { observedAt: number }) =>
      observedAt >= period.from && observedAt <= period.to;
    const now = (await storedHistory(database, assetId)).filter(inPeriod);
    const before = history(seen.filter(({ observedAt }) => observedAt < period.from)).at(-1);
    const then = history(
      countingScans(seen, smoothed).filter(inPeriod),
      before === undefined ? null : { locationId: before.locationId, since: before.observedAt },
    );
    // A move is known by when it was, from where and to where.
    const names = (transitions: readonly { observedAt: number; locationId: number }[]) =>
      transitions.map(
        ({ observedAt, locationId }, index) =>
          `${observedAt} ${(transitions[index - 1] ?? before)?.locationId} ${locationId}`,
      );
    const [movesNow, movesThen] = [names(now), names(then)];
    expect(then.length).to.be.within(100, now.length - 100);
    expect(parts).to.be.greaterThan(2);
    const nameOf = ({ observedAt, fromLocationId, toLocationId }: TriedMove) =>
      `${observedAt} ${fromLocationId} ${toLocationId}`;
    expect(tried.kept).to.equal(movesNow.filter((name) => movesThen.includes(name)).length);
    expect(tried.disappearing.map(nameOf)).to.deep.equal(
      movesNow.filter((name) => !movesThen.includes(name)),
    );
    expect(tried.appearing.map(nameOf)).to.deep.equal(movesThen.filter((name) => !movesNow.includes(name)));
  });
});
