import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { readDwell } from '../../../../domain/reports/dwell/read-dwell.ts';
import type { Window } from '../../../../domain/reports/window.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { type Asked, dwellByDefinition, type Group } from './dwell-by-definition.ts';
import { expectSame, groupsByName } from './found-groups.ts';
import { randomPast, randomWindow, storePast } from './random-past.ts';

const PASTS = randomSets(60);
const WINDOWS = 6;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'];

describe('the dwell of random pasts', function () {
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
    asked: Asked,
  ): Promise<Map<string, Group>> => {
    const { rows, totalCount } = await readDwell(door.of(stored.orgId), window, null, {
      group_by: asked.groupBy,
      time_zone: asked.timeZone,
      asset_id: asked.assets?.map((asset) => stored.assets[asset] ?? 0),
      asset_external_key: undefined,
      location_id: asked.places?.map((place) => stored.places[place] ?? 0),
      location_external_key: undefined,
      include_descendants: asked.withDescendants,
      include_deleted: asked.includeDeleted,
      sort: [{ field: 'total_seconds', isDescending: true }],
      ...{ limit: 200, offset: 0 },
    });
    expect(rows).to.have.lengthOf(totalCount);
    return groupsByName(rows, asked, stored);
  };

  it(`is that of its definition, and adds up, in ${PASTS * WINDOWS} windows`, async () => {
    for (let index = 0; index < PASTS; index++) {
      const random = new Random(20260329, index);
      const past = randomPast(random);
      const stored = await storePast(database, past);
      for (let count = 0; count < WINDOWS; count++) {
        const window = randomWindow(random, past);
        const some = <T>(all: readonly T[]) => all.filter(() => random.once(2));
        const asked: Asked = {
          groupBy: random.pick(['location', 'asset', 'day']),
          timeZone: random.pick(ZONES),
          assets: random.once(3) ? some([...past.assets.keys()]) : null,
          places: random.once(2) ? some([...past.places.keys()]) : null,
          withDescendants: random.once(2),
          includeDeleted: random.once(2),
        };
        const found = await groupsOf(stored, window, asked);
        const what = JSON.stringify({ index, count, window, asked, past }, null, 1);
        expectSame(found, dwellByDefinition(past, window, asked), what);
        if (asked.places === null) {
          const whole = past.assets
            .filter((_, asset) => asked.assets?.includes(asset) ?? true)
            .map(({ deletedAt }) => Math.max(window.from, Math.min(window.to, deletedAt ?? window.to)))
            .reduce((sum, until) => sum + Math.floor(until / 1_000) - window.from / 1_000, 0);
          const total = [...found.values()].reduce((sum, group) => sum + group.total, 0);
          expect(total, what).to.equal(whole);
        }
      }
    }
  });
});
