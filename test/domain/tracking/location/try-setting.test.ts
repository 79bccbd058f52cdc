import { expect } from 'chai';
import fc from 'fast-check';
import { history } from '../../../../domain/tracking/history/history.ts';
import { compareWalk } from '../../../../domain/tracking/location/compare-walk.ts';
import { Site as Located } from '../../../../domain/tracking/location/site.ts';
import { statementsOf } from '../../../../domain/tracking/location/stated-locations.ts';
import {
  recordedScans,
  type TriedMove,
  trySetting,
} from '../../../../domain/tracking/location/try-setting.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record, storedHistory } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const SECOND = 1_000_000;

describe('a location setting that is tried on recorded scans', () => {
  const database = useDatabase();
  const every = new Located({ settings: [] });
  const strength = new Located({
    settings: [{ locationId: null, validFrom: 0, setting: { procedure: 'strength', certainty: 1 } }],
  });

  async function all<Part>(parts: AsyncGenerator<Part>): Promise<Part[]> {
    const list: Part[] = [];
    for await (const part of parts) {
      list.push(part);
    }
    return list;
  }

  it('gives the moves that all scans at once give, however many pages they fill', async () => {
    const site = await Site.create(database);
    const locations = [await site.location('A'), await site.location('B'), await site.location('C')];
    const readerId = await site.reader('dock', [null]);
    const assetId = await site.asset('CRATE', 'CRATE');
    // Twelve thousand reads in some three hours: it is near one antenna for a while, and the others hear it too.
    const [stays = []] = fc.sample(
      fc.array(fc.record({ near: fc.nat(2), length: fc.integer({ min: 20, max: 400 }), seed: fc.nat() }), {
        ...{ minLength: 60, maxLength: 60, size: 'max' },
      }),
      { numRuns: 1, seed: 7 },
    );
    let at = START;
    const reads = stays.flatMap(({ near, length, seed }) =>
      Array.from({ length }, (_, index) => {
        const antenna = (((seed % 1_009) + index ** 3 + 5 * index) % 7) % 3;
        const fading = ((seed % 97) * (index + 3) * 31) % 12;
        at += 200_000 + ((index * 37) % 11) * 120_000;
        return { antenna, at, rssi: (antenna === near ? -55 : -62) - fading };
      }),
    );
    for (let start = 0; start < reads.length; start += 1_000) {
      await record(
        database,
        reads.slice(start, start + 1_000).map(({ antenna, at: observedAt, rssi }) =>
          aRead({
            ...{ orgId: site.orgId, readerId, value: 'CRATE', rssi, antenna: antenna + 1, at: observedAt },
            locationId: locations[antenna] ?? 0,
          }),
        ),
      );
    }
    const period = { from: START + 500 * SECOND, to: (reads.at(-1)?.at ?? 0) - 500 * SECOND };
    const client = await database.pool.connect();
    try {
      const asset = { orgId: site.orgId, assetId };
      const parts = await all(trySetting(client, asset, period, { present: every, proposed: strength }));
      expect(parts.length).to.be.above(2);
      const whole = { from: START, to: at };
      const scans = (await all(recordedScans(client, asset, whole))).flat();
      expect(scans.length).to.equal(reads.length);

      const inPeriod = ({ observedAt }: { observedAt: number }) =>
        observedAt >= period.from && observedAt <= period.to;
      const stored = await storedHistory(database, assetId);
      const before = stored.findLast(({ observedAt }) => observedAt < period.from);
      const begun = before === undefined ? null : { locationId: before.locationId, since: before.observedAt };
      const { statements } = await statementsOf(scans, strength);
      const names = (transitions: readonly { observedAt: number; locationId: number }[]) =>
        transitions.map(
          ({ observedAt, locationId }, index) =>
            `${observedAt} ${(transitions[index - 1] ?? begun)?.locationId} ${locationId}`,
        );
      const now = names(stored.filter(inPeriod));
      const then = names(history(statements.filter(inPeriod), begun));
      expect(then.length).to.be.within(20, now.length / 4);

      const nameOf = ({ observedAt, fromLocationId, toLocationId }: TriedMove) =>
        `${observedAt} ${fromLocationId} ${toLocationId}`;
      const of = (kind: 'kept' | 'disappearing' | 'appearing') =>
        parts.flatMap((part) => part[kind].map(nameOf));
      expect(of('kept')).to.deep.equal(now.filter((name) => then.includes(name)));
      expect(of('disappearing')).to.deep.equal(now.filter((name) => !then.includes(name)));
      expect(of('appearing')).to.deep.equal(then.filter((name) => !now.includes(name)));
      const returns = (transitions: readonly string[]) =>
        transitions.filter((name, index) => {
          const [time, from, to] = name.split(' ');
          const [last, there, back] = (transitions[index - 1] ?? '').split(' ');
          return there === to && back === from && Number(time) - Number(last) <= 30 * SECOND;
        }).length;
      const sum = (which: 'present' | 'proposed') =>
        parts.reduce((total, part) => total + part.returns[which].length, 0);
      expect(sum('present')).to.equal(returns(now)).and.to.be.above(100);
      expect(sum('proposed')).to.equal(returns(then));
    } finally {
      client.release();
    }
  });

  it('is compared with a walk whose locations a person scanned', async () => {
    const site = await Site.create(database, 'Walked');
    const { orgId } = site;
    const [a, b] = [await site.location('A'), await site.location('B')];
    const readerId = await site.reader('walked', [null]);
    const assetId = await site.asset('WALKER', 'WALKER');
    const read = (second: number, antenna: 1 | 2, rssi: number) =>
      aRead({
        ...{ orgId, readerId, value: 'WALKER', antenna, rssi },
        ...{ locationId: antenna === 1 ? a : b, at: START + second * SECOND },
      });
    const person = (second: number, locationId: number) => ({
      ...aRead({ orgId, readerId, value: 'WALKER', locationId, at: START + second * SECOND + 1 }),
      source: { kind: 'handheld' as const, handheldId: 1, submissionId: 'walk', index: second },
    });
    // A minute at A, then one at B. Each second both antennas hear it, first the nearer one.
    await record(database, [
      ...[person(0, a), person(60, b), person(120, b)],
      ...Array.from({ length: 120 }, (_, second) => {
        const [near, far] = second < 60 ? ([1, 2] as const) : ([2, 1] as const);
        return [read(second, near, -55), read(second + 0.5, far, -75)];
      }).flat(),
    ]);
    const client = await database.pool.connect();
    try {
      const period = { from: START, to: START + 200 * SECOND };
      const sites = { present: every, proposed: strength };
      const walked = await compareWalk(client, { orgId, assetId }, period, sites);
      const shown = (walked ?? []).map(({ locationId, time, right }) => [
        locationId,
        Math.round(time / SECOND),
        Math.round((100 * right.present) / time),
        Math.round((100 * right.proposed) / time),
      ]);
      expect(shown).to.deep.equal([
        [a, 60, 50, 100],
        // It takes three seconds to be sure.
        [b, 60, 50, 95],
      ]);
    } finally {
      client.release();
    }
  });
});
