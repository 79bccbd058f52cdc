import { expect } from 'chai';
import fc from 'fast-check';
import { history } from '../../../../domain/tracking/history/history.ts';
import { countingScans, type Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import { SmoothingSettings } from '../../../../domain/tracking/smoothing/settings.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record, storedHistory } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { storeSettings } from '../../../support/stored-smoothing.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const WALKS = 100;
const SETTING = { window: 10 * SECOND, minimum: 3 * SECOND, margin: 6 };

/** Half a minute from one gate to the other, read twice a second by one of them, with a noise of 20 dB. */
const aWalk = fc.array(
  fc.record({
    dice: fc.nat(99),
    noise: fc.integer({ min: -100, max: 100 }),
    wait: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 60, maxLength: 60, size: 'max' },
);

describe('walks between two gates that both see who passes', () => {
  const database = useDatabase();

  it('have one history, read by read in order and all at once (100 walks)', async () => {
    const site = await Site.create(database);
    const gates = [await site.location('GATE-1'), await site.location('GATE-2')];
    const readerId = await site.reader('gates', [null]);
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: START, smoothing: SETTING }]);
    const walks = fc.sample(aWalk, { numRuns: WALKS, seed: 11 }).map((reads) =>
      reads.map(({ dice, noise, wait }, index) => {
        const way = (index + 0.5) / reads.length;
        const isAtSecond = dice < 100 * way;
        const distance = 1 + 9 * (isAtSecond ? 1 - way : way);
        return {
          observedAt: START + index * (SECOND / 2) + wait * 50_000,
          locationId: gates[Number(isAtSecond)] ?? 0,
          rssi: Math.round(-40 - 20 * Math.log10(distance) + noise / 10),
          isByPerson: false,
        };
      }),
    );
    const inOrder: number[] = [];
    const atOnce: number[] = [];
    for (let walk = 0; walk < WALKS; walk++) {
      inOrder.push(await site.asset(`step-${walk}`, `step-${walk}`));
      atOnce.push(await site.asset(`whole-${walk}`, `whole-${walk}`));
    }
    const scan = (value: string, { observedAt: at, locationId, rssi }: (typeof walks)[0][0]) =>
      aRead({ orgId: site.orgId, readerId, value, locationId, at, rssi });
    for (let step = 0; step < 60; step++) {
      const reads = walks.flatMap((reads, walk) =>
        reads.slice(step, step + 1).map((read) => scan(`step-${walk}`, read)),
      );
      await record(database, reads);
    }
    await record(
      database,
      walks.flatMap((reads, walk) => reads.map((read) => scan(`whole-${walk}`, read))),
    );

    const differing = [];
    for (let walk = 0; walk < WALKS; walk++) {
      const one = await storedHistory(database, inOrder[walk] ?? 0);
      const other = await storedHistory(database, atOnce[walk] ?? 0);
      expect(other).not.to.deep.equal([]);
      if (JSON.stringify(one) !== JSON.stringify(other)) {
        differing.push({ walk, one, other });
      }
    }
    expect(differing).to.deep.equal([]);
    // It is what they are for.
    expect(walks.filter(datesAMoveEarlier).length).to.be.above(WALKS / 10);
  });
});

/** True if a read where the asset is makes an earlier one count, so that the move there is dated earlier. */
function datesAMoveEarlier(seen: readonly Seen[]): boolean {
  const settings = new SmoothingSettings([{ locationId: null, validFrom: START, smoothing: SETTING }]);
  const stays = seen.map((_, index) => history(countingScans(seen.slice(0, index + 1), settings)));
  return stays.some((after, index) => {
    const before = stays[index - 1]?.at(-1);
    return before?.locationId === seen[index]?.locationId && before?.observedAt !== after.at(-1)?.observedAt;
  });
}
