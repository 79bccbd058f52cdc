import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { readTurns, type TurnRow } from '../../../../domain/reports/turns/read-turns.ts';
import type { Window } from '../../../../domain/reports/window.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { type Past, randomPast, randomWindow, storePast } from '../dwell/random-past.ts';
import { type AskedTurns, type TurnGroup, turnsByDefinition } from './turns-by-definition.ts';

/** In fewer there are too few trips that did not end. */
const PASTS = Math.max(24, randomSets(60));
const WINDOWS = 8;

describe('the turns of random pasts', function () {
  this.timeout(600_000);
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
  });

  const groupsOf = async (
    stored: { orgId: number; assets: number[]; places: number[] },
    window: Window,
    asked: AskedTurns,
  ): Promise<Map<string, TurnGroup>> => {
    const place = (number: number) => ({
      location_id: [stored.places[number] ?? 0],
      location_external_key: undefined,
      include_descendants: asked.withDescendants,
    });
    const { rows, totalCount } = await readTurns(
      door.of(stored.orgId),
      window,
      { left: place(asked.left), reached: place(asked.reached) },
      {
        group_by: asked.groupBy,
        time_zone: asked.timeZone,
        asset_id: asked.assets?.map((asset) => stored.assets[asset] ?? 0),
        asset_external_key: undefined,
        include_deleted: asked.includeDeleted,
        sort: [{ field: 'count', isDescending: true }],
        ...{ limit: 200, offset: 0 },
      },
    );
    expect(rows).to.have.lengthOf(totalCount);
    return new Map(
      rows.map((row) => {
        const { count, median, p90, max, not_ended: notEnded } = row;
        return [nameOf(row, asked, stored.assets), { count, median, p90, max, notEnded }];
      }),
    );
  };

  it('begin where a place within the one reached was left, however many stays within that came before the window', async () => {
    const hour = (count: number) => (Date.UTC(2026, 4, 1) + count * 3_600_000) * 1_000;
    const [building, cage, shelf, door, yard] = [0, 1, 2, 3, 4];
    const past: Past = {
      instants: [hour(0)],
      places: [null, building, building, building, null].map((parent) => [{ since: hour(0), parent }]),
      assets: [
        {
          deletedAt: null,
          transitions: [cage, shelf, door, yard, shelf].map((place, index) => ({
            at: hour(1 + index),
            place,
          })),
        },
      ],
    };
    const stored = await storePast(database, past);
    const asked: AskedTurns = {
      ...{ groupBy: undefined, timeZone: 'UTC', assets: null, includeDeleted: false },
      ...{ left: cage, reached: building, withDescendants: true },
    };
    for (const begin of [2, 3, 4, 5]) {
      const window = { from: hour(begin) + 60_000_000, to: hour(9) };
      const found = await groupsOf(stored, window, asked);
      expectSame(found, turnsByDefinition(past, window, asked), `from ${begin}`);
      expect(found.get('all'), `from ${begin}`).to.include(
        begin < 5 ? { count: 1, max: 3 * 3_600_000 } : { count: 0, max: null },
      );
    }
  });

  it(`are those of their definition in ${PASTS * WINDOWS} windows, most of which have some`, async () => {
    let trips = 0;
    let notEnded = 0;
    for (let index = 0; index < PASTS; index++) {
      const random = new Random(20260330, index);
      const past = randomPast(random);
      const stored = await storePast(database, past);
      for (let count = 0; count < WINDOWS; count++) {
        const window = randomWindow(random, past);
        const places = [...past.places.keys()];
        const asked: AskedTurns = {
          groupBy: random.pick(['asset', 'day', undefined]),
          timeZone: random.pick(['UTC', 'Europe/Berlin', 'America/New_York']),
          assets: random.once(4) ? [0] : null,
          left: random.pick(places),
          reached: random.pick(places),
          withDescendants: random.once(2),
          includeDeleted: random.once(2),
        };
        const expected = turnsByDefinition(past, window, asked);
        expectSame(
          await groupsOf(stored, window, asked),
          expected,
          JSON.stringify({ index, count, window, asked, past }, null, 1),
        );
        trips += [...expected.values()].filter((group) => group.count > 0).length;
        notEnded += [...expected.values()].filter((group) => group.notEnded > 0).length;
      }
    }
    expect(
      [trips, notEnded].every((some) => some > (PASTS * WINDOWS) / 20),
      `${trips} ${notEnded}`,
    ).to.equal(true);
  });
});

function nameOf(row: TurnRow, { groupBy }: AskedTurns, assets: number[]): string {
  if (groupBy === undefined) {
    return 'all';
  }
  return groupBy === 'day'
    ? `${row.day}`
    : row.asset_id === null
      ? 'deleted'
      : `${assets.indexOf(row.asset_id)}`;
}

function expectSame(found: Map<string, TurnGroup>, expected: Map<string, TurnGroup>, what: string): void {
  expect([...found.keys()].sort(), what).to.deep.equal([...expected.keys()].sort());
  for (const [name, { median, p90, ...exact }] of expected) {
    const group = found.get(name) as TurnGroup;
    expect(group, `${name} ${what}`).to.deep.include(exact);
    for (const [one, other] of [
      [group.median, median],
      [group.p90, p90],
    ] as const) {
      if (one === null || other === null) {
        expect(one, `${name} ${what}`).to.equal(other);
      } else {
        expect(one, `${name} ${what}`).to.be.closeTo(other, 1e-6);
      }
    }
  }
}
