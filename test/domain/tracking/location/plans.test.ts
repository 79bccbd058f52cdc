import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../../db/timescale/connections/pool.ts';
import { examineOrganization } from '../../../../domain/health/examine.ts';
import { Plan, type PlanParts, type Point } from '../../../../domain/tracking/location/position.ts';
import { readPlans, readSite } from '../../../../domain/tracking/location/read-site.ts';
import { Site } from '../../../../domain/tracking/location/site.ts';
import { type Seen, statementsOf } from '../../../../domain/tracking/location/stated-locations.ts';
import { useDatabase } from '../../../support/database.ts';
import { longestHold } from '../../../support/held-loop.ts';
import { storeSettings } from '../../../support/location-settings.ts';
import { encodePng } from '../../../support/png.ts';
import { Site as StoredSite } from '../../../support/site.ts';

const POSITION = { procedure: 'position', certainty: 1, tagDbm: -55 } as const;
const SETTINGS = [{ locationId: null, validFrom: 0, setting: POSITION }];

/** Corners to and fro between left and right: a row of the outline crosses all of its borders. */
function zigzag(corners: number, width: number, height: number): Point[] {
  return Array.from({ length: corners }, (_, index) => ({
    x: (index * width) / corners,
    y: index % 2 === 0 ? 0 : height,
  }));
}

function planOf(places: PlanParts['places']): PlanParts {
  return { locationId: 1, places, antennas: [{ readerId: 1, antenna: 1, x: 10, y: 10 }] };
}

function manyPlaces(count: number, corners: readonly Point[]): PlanParts['places'] {
  return Array.from({ length: count }, (_, index) => ({ locationId: index + 1, corners }));
}

const READ: Seen = {
  observedAt: 0,
  locationId: 1,
  rssi: -60,
  scan: {
    ...{ receivedAt: 0, tagType: 'rfid', tagValue: 'T', rssi: -60 },
    source: { kind: 'reader', readerId: 1, antenna: 1 },
  },
};

const decided = (plans: PlanParts[]) => statementsOf([READ], new Site({ settings: SETTINGS, plans }));

describe('plans that would take long to decide on', () => {
  const database = useDatabase();

  it('are not used: rows without columns, or outlines with many corners and overlaps', async () => {
    const faults = [
      zigzag(100, 0, 100_000),
      zigzag(100, 100_000, 0),
      zigzag(300, 201.5, 200),
      zigzag(100, 200, 200),
    ].map((corners) => Plan.faultOf({ places: manyPlaces(50, corners) }));
    expect(faults).to.deep.equal(['too_wide', 'too_wide', 'too_wide', 'too_intricate']);
    const { positions, cost } = await decided([planOf(manyPlaces(50, zigzag(100, 0, 100_000)))]);
    expect(positions).to.deep.equal([]);
    expect(cost).to.be.below(10);
  });

  it('are used where two thousand rooms fill a hall, with others around them', () => {
    const rooms = Array.from({ length: 2_000 }, (_, index): PlanParts['places'][number] => {
      const [x, y] = [(index % 50) * 4, Math.floor(index / 50) * 5];
      const corners = zigzag(8, 4, 5).map((corner) => ({ x: corner.x + x, y: corner.y + y }));
      return { locationId: index + 1, corners };
    });
    const around = manyPlaces(10, [
      { x: 0, y: 0 },
      { x: 200, y: 0 },
      { x: 200, y: 200 },
      { x: 0, y: 200 },
    ]).map((place) => ({ ...place, locationId: place.locationId + 2_000 }));
    expect(Plan.faultOf({ places: [...rooms, ...around] })).to.equal(null);
  });

  it('have their cells found when they are first decided on, once for all, and that is counted', async () => {
    const plan = planOf(manyPlaces(15, zigzag(100, 200, 200)));
    const others = Array.from({ length: 199 }, (_, index) => ({
      ...planOf(manyPlaces(15, zigzag(100, 200, 200))),
      locationId: index + 2,
    }));
    const costs: number[] = [];
    const decide = async () => {
      costs.push((await decided([plan, ...others])).cost);
    };
    expect(await longestHold(decide, 1)).to.be.below(1_000);
    await decide();
    const [first = 0, second = 0] = costs;
    expect(first - second).to.be.within(10_000, 100_000);
  });

  it('are shared by the connections of a process, and checked anew once they are drawn otherwise', async () => {
    const { orgId, draw } = await aStoredPlan();
    const read = async () => {
      const pool = createWritePool(database.url, { max: 1 });
      const [plan] = await readPlans(databaseOn(pool), orgId);
      await pool.end();
      return plan;
    };
    await draw([0, 0, 0.5, 0, 0.5, 0.5]);
    const [one, other] = [await read(), await read()];
    expect(one?.places).to.have.length(1);
    expect(other?.places).to.equal(one?.places);
    await draw([0, 0, 0.5, 0, 0.5, 0.25]);
    expect((await read())?.places).not.to.deep.equal(one?.places);
  });

  it('are as without a scale if they are stored, and doctor says so', async () => {
    const { orgId, draw, plan } = await aStoredPlan();
    const findings = async () =>
      (await examineOrganization(database.pool, orgId)).filter(
        ({ check, message }) => check === 'plans' && message.includes('is not used'),
      );
    await draw([0, 0, 0.1, 0, 0.1, 0.1]);
    expect(await findings()).to.deep.equal([]);
    await database.rows(
      `update plans set scale_points = '{0,0,0.15625,0}', scale_metres = 10000 where id = $1`,
      [plan],
    );
    await draw([0, 0, 0, 1, 0, 0.5]);
    expect(await readPlans(databaseOn(database.pool), orgId)).to.deep.equal([]);
    const [finding] = await findings();
    expect(finding?.message).to.include('the plan "Tower" is not used');
    expect(finding?.remedy).to.include('check the distance');
    expect((await readSite(databaseOn(database.pool), orgId)).settings).to.have.length(1);
  });

  async function aStoredPlan() {
    const site = await StoredSite.create(database);
    const { orgId } = site;
    const tower = await site.location('TOWER');
    await storeSettings(database, orgId, SETTINGS);
    const image = encodePng({
      width: 64,
      height: 64,
      palette: [[255, 255, 255]],
      pixels: new Uint8Array(4_096),
    });
    const [row] = await database.rows<{ id: number }>(
      `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
       values ($1, $2, 'Tower', 'image/png', 64, 64, $3, sha256($3), '{0,0,1,0}', 64) returning id`,
      [orgId, tower, image],
    );
    const plan = row?.id ?? 0;
    const draw = async (points: number[]) => {
      await database.rows('delete from plan_places where plan_id = $1', [plan]);
      await database.rows(
        'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
        [orgId, plan, tower, points],
      );
    };
    return { orgId, plan, draw };
  }
});
