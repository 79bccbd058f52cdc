import { expect } from 'chai';
import type { OrganizationDoor } from '../../../../db/timescale/connections/organization-door.ts';
import { useDatabase } from '../../../support/database.ts';
import { PresenceSite } from '../../../support/presence-site.ts';
import { openDoor } from '../../../support/recorded-past.ts';

/** Seconds. */
const GAP = 30;
const TAKEN_AT = 100;
const CHANGED_AT = 200;
const END = 320;

/** Read every five seconds; one of them is taken. */
const STAYS = 0;
const TAKEN = 1;

interface Course {
  what: string;
  /** How far the clock is behind, before and after it is set. */
  lags: [number, number];
  /** The latest at which the theft is found; null if it cannot be while the old reads are newer. */
  foundBy: number | null;
}

const COURSES: Course[] = [
  { what: 'is 20 s behind', lags: [20, 20], foundBy: TAKEN_AT + GAP + 10 },
  { what: 'is two hours behind', lags: [7_200, 7_200], foundBy: TAKEN_AT + GAP + 10 },
  { what: 'is two hours behind and set right', lags: [7_200, 0], foundBy: TAKEN_AT + GAP + 10 },
  { what: 'is set back by two hours', lags: [0, 7_200], foundBy: TAKEN_AT + GAP + 10 },
];

describe('what only a reader sees whose clock', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  for (const { what, lags, foundBy } of COURSES) {
    it(`${what}, is never overdue while it is there, and soon once it is taken`, async () => {
      const site = await PresenceSite.create(database, { places: 1, readerPlaces: [0], assets: 2 });
      await site.watch(0, { from: -10_000, mode: 'continuous', maxGap: GAP, coverage: 'all' });
      for (let second = 0; second < END; second += 5) {
        const at = second - (second < CHANGED_AT ? lags[0] : lags[1]);
        const assets = second < TAKEN_AT ? [STAYS, TAKEN] : [STAYS];
        await site.deliver([
          { reader: 0, at, receivedAt: second, assets },
          { reader: 0, at, receivedAt: second + 2, assets: [] },
        ]);
        if (second % 10 === 0) {
          continue;
        }
        const { rows } = await site.list(door, second + 3);
        const [stays, taken] = rows.map(({ state }) => state);
        const text = `after ${second} s: ${JSON.stringify(rows)}`;
        expect(stays, text).to.be.oneOf(['present', 'unknown']);
        if (second < TAKEN_AT + GAP - 5) {
          expect(taken, text).to.be.oneOf(['present', 'unknown']);
        } else if (foundBy !== null && second >= foundBy) {
          expect(taken, text).to.equal('overdue');
        }
        if (taken === 'overdue') {
          const since = rows[TAKEN]?.since ?? 0;
          expect(since, text).to.be.within(TAKEN_AT - 5 + GAP - lags[0], TAKEN_AT + GAP - lags[0] + 5);
        }
      }
      const { rows } = await site.list(door, END);
      const isBehind = lags[1] > GAP;
      expect(rows[STAYS]?.state).to.equal(isBehind ? 'unknown' : 'present');
      const because = rows[STAYS]?.because ?? {};
      expect('reader' in because ? because.reader : null).to.equal(isBehind ? 0 : null);
    });
  }

  it('was cut off is not overdue while it sends what it had kept, however slowly', async () => {
    const site = await PresenceSite.create(database, { places: 1, readerPlaces: [0], assets: 2 });
    await site.watch(0, { from: -10_000, mode: 'continuous', maxGap: GAP, coverage: 'all' });
    await site.deliver([{ reader: 0, at: 0, receivedAt: 0, assets: [STAYS, TAKEN] }]);
    for (let step = 0; step < 60; step++) {
      const [at, receivedAt] = [step * 5, 1_000 + step * 3];
      await site.deliver([
        { reader: 0, at, receivedAt, assets: at < TAKEN_AT ? [STAYS, TAKEN] : [STAYS] },
        { reader: 0, at, receivedAt: receivedAt + 1, assets: [] },
      ]);
      const { rows } = await site.list(door, receivedAt + 2);
      expect(rows[STAYS]?.state, `${step}`).to.be.oneOf(['present', 'unknown']);
    }
    const { rows } = await site.list(door, 1_200);
    expect(rows[TAKEN]).to.deep.include({ state: 'overdue', since: TAKEN_AT - 5 + GAP });
  });
});
