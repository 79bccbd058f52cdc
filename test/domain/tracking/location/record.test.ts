import { expect } from 'chai';
import { recomputeOrganization } from '../../../../domain/tracking/recompute/recompute-organization.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { aMemory, aRead, record, storedHistory, storedPosition } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('a recorded scan where strength decides', () => {
  const database = useDatabase();
  const LOCATIONS = ['A', 'B'];
  let site: Site;
  let locations: number[];
  let readers: number[];
  let assetId: number;

  beforeEach(async () => {
    site = await Site.create(database);
    locations = [await site.location('A'), await site.location('B')];
    readers = [await site.reader(`a-${site.orgId}`, [null]), await site.reader(`b-${site.orgId}`, [null])];
    assetId = await site.asset('CRATE', 'CRATE');
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: START, setting: STRENGTH }]);
  });

  const scanOf = (second: number, location: string, rssi: number | null): Scan =>
    aRead({
      orgId: site.orgId,
      readerId: readers[LOCATIONS.indexOf(location)] ?? 0,
      value: 'CRATE',
      locationId: locations[LOCATIONS.indexOf(location)] ?? null,
      at: START + second * SECOND,
      rssi,
    });

  /** Reads as `0A-60 3B-50`, recorded one after the other in that order. */
  async function arrive(line: string): Promise<void> {
    for (const word of line.split(' ')) {
      const [, second = '', location = '', rssi = ''] = /^([\d.]+)([AB])(.*)$/.exec(word) ?? [];
      await record(database, [scanOf(Number(second), location, rssi === '' ? null : Number(rssi))]);
    }
  }

  async function stays(): Promise<string> {
    const rows = await storedHistory(database, assetId);
    return rows
      .map(
        ({ observedAt, locationId }) =>
          `${(observedAt - START) / SECOND}${LOCATIONS[locations.indexOf(locationId)]}`,
      )
      .join(' ');
  }

  it('is the last seen of its asset, whether it states something or not', async () => {
    await arrive('0A-60 1B-61');
    // The second puts the first in doubt.
    expect(await stays()).to.equal('');
    expect(await storedPosition(database, assetId)).to.deep.equal({
      ...{ locationId: null, since: null, lastSeen: START + SECOND },
    });
  });

  it('can state something later, when more reads came', async () => {
    await arrive('0A-60 1B-61 2A-55 2.1A-50');
    expect(await stays()).to.equal('0A');
  });

  it('can, if it is late, put in doubt what others stated', async () => {
    await arrive('0A-60 60B-60');
    expect(await stays()).to.equal('0A 60B');
    await arrive('59A-61');
    expect(await stays()).to.equal('0A');
  });

  it('can, if it is late, bring an asset to a location that later scans only confirm', async () => {
    await arrive('0A-60 60B-60 60.1A-61 100B-60');
    expect(await stays()).to.equal('0A 100B');
    await arrive('60.2B-50');
    expect(await stays()).to.equal('0A 60B');
  });

  it('leaves earlier stays as they are if it is later than what its recorder remembers, where every scan states', async () => {
    const memory = aMemory();
    const [a, b] = locations;
    await storeSettings(database, site.orgId, [
      { locationId: null, validFrom: START, setting: STRENGTH },
      ...[a, b].map((id) => ({
        ...{ locationId: id ?? null, validFrom: START, setting: { procedure: 'every' } as const },
      })),
    ]);
    const source = { kind: 'handheld', handheldId: 1, submissionId: `of ${assetId}`, index: 0 } as const;
    await record(database, [scanOf(100, 'A', -60)], undefined, memory);
    await record(database, [{ ...scanOf(101, 'B', null), source }], undefined, memory);
    for (let second = 101.5; second <= 125; second += 0.5) {
      await record(database, [scanOf(second, 'A', -60)], undefined, memory);
    }
    expect(await stays()).to.equal('100A 101B 101.5A');
    await record(database, [scanOf(101.2, 'A', -60)], undefined, memory);
    expect(await stays()).to.equal('100A 101B 101.2A');
  });

  it('is worked in, if it is late, by what another connection has remembered before it met each location', async () => {
    const memory = aMemory();
    await arrive('0A-60 70B-60 1000A-60');
    const first = await database.pool.connect();
    await record(database, [scanOf(5, 'A', -60)], undefined, memory);
    first.release();
    await record(database, [scanOf(32, 'A', -60)], undefined, memory);
    expect(await stays()).to.equal('0A 70B 1000A');
  });

  describe('at the instant at which a person scans what an antenna elsewhere reads strongly', () => {
    const twoAtOnce = (): Scan[] => {
      const source = { kind: 'handheld', handheldId: 1, submissionId: `of ${assetId}`, index: 0 } as const;
      return [scanOf(4, 'A', -40), { ...scanOf(4, 'B', null), source }];
    };
    const arrivals: [string, (scans: Scan[]) => Scan[][]][] = [
      ['the read first', (scans) => scans.map((scan) => [scan])],
      ["the person's first", (scans) => scans.toReversed().map((scan) => [scan])],
      ['both in one batch', (scans) => [scans]],
    ];
    for (const [how, batchesOf] of arrivals) {
      it(`says what the person says, and so does computing it again, ${how}`, async () => {
        await arrive('0A-60 3A-60');
        for (const batch of batchesOf(twoAtOnce())) {
          await record(database, batch);
        }
        expect(await stays()).to.equal('0A 4B');
        expect(await storedPosition(database, assetId)).to.include({ locationId: locations[1] });
        expect(await recomputeOrganization(database.pool, site.orgId, { isDry: true })).to.include({
          ...{ assets: 1, changed: 0 },
        });
      });

      it(`goes by strength where every scan states where the asset is, ${how}`, async () => {
        await storeSettings(database, site.orgId, []);
        await arrive('0A-60 3A-60');
        for (const batch of batchesOf(twoAtOnce())) {
          await record(database, batch);
        }
        expect(await stays()).to.equal('0A');
      });
    }
  });

  it('says where its asset is in metres, on the nearest plan with a scale, and keeps that of each transition', async () => {
    await useHall();
    await arrive('0A-56 0.1B-75 100A-75 100.1B-56');
    const [first, second] = await database.rows<PositionRow>(
      `select position_plan_location_id as plan, position_x as x, position_y as y, position_radius as radius
       from location_transitions where asset_id = $1 order by observed_at`,
      [assetId],
    );
    expect(first?.x).to.be.within(0, 5);
    expect(second?.x).to.be.within(15, 20);
    const [newest] = await database.rows<PositionRow & { at: number }>(
      `select position_plan_location_id as plan, position_x as x, position_y as y, position_radius as radius,
         micros_of_time(position_observed_at) as at
       from positions where asset_id = $1`,
      [assetId],
    );
    expect(newest).to.deep.equal({ ...second, at: START + 100 * SECOND });
    expect(await recomputeOrganization(database.pool, site.orgId)).to.include({ changed: 0 });
  });

  it('leaves the newest position an earlier one, where a late read takes it away', async () => {
    await useHallWithoutPinOfB();
    await arrive('0A-56 29B-60');
    expect(await positionAt()).to.equal(29);
    await arrive('32B-60 32.5B-60 33B-60 33.5B-60');
    expect(await positionAt()).to.equal(0);
  });

  it('leaves it the one before and not that of a late read recorded with it, where its recorder remembers both', async () => {
    await useHallWithoutPinOfB();
    const memory = aMemory();
    for (const scan of [scanOf(1_000, 'A', -56), scanOf(1_029, 'B', -60), scanOf(100, 'A', -56)]) {
      await record(database, [scan], undefined, memory);
    }
    expect(await positionAt()).to.equal(1_029);
    const some = [1_032, 1_032.5, 1_033, 1_033.5].map((second) => scanOf(second, 'B', -60));
    await record(database, [scanOf(105, 'A', -56), ...some], undefined, memory);
    expect(await positionAt()).to.equal(1_000);
  });

  /** B has no pin: what is heard of A within 30 s gives it a position, of which a nearer window hears nothing. */
  async function useHallWithoutPinOfB(): Promise<void> {
    await useHall();
    await database.rows('delete from plan_antennas where org_id = $1 and reader_id = $2', [
      site.orgId,
      readers[1],
    ]);
  }

  /** Seconds. */
  async function positionAt(): Promise<number> {
    const [row] = await database.rows<{ at: number }>(
      'select micros_of_time(position_observed_at) as at from positions where asset_id = $1',
      [assetId],
    );
    return ((row?.at ?? 0) - START) / SECOND;
  }

  interface PositionRow {
    plan: number;
    x: number;
    y: number;
    radius: number;
  }

  /** A hall of 20 m by 5 m, of 2,000 by 500 pixels, the halves of which are A and B, with an antenna in the middle of each. */
  async function useHall(): Promise<void> {
    const hall = await site.location('HALL');
    await database.rows('update locations set parent_id = $2 where id = any ($1)', [locations, hall]);
    const [plan] = await database.rows<{ id: number }>(
      `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
       values ($1, $2, 'Hall', 'image/png', 2000, 500, '\\x00', decode(repeat('00', 32), 'hex'), '{0,0.5,0.5,0.5}', 10)
       returning id`,
      [site.orgId, hall],
    );
    const corners = ['{0,0,0.5,0,0.5,1,0,1}', '{0.5,0,1,0,1,1,0.5,1}'];
    for (const [index, locationId] of locations.entries()) {
      await database.rows(
        'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
        [site.orgId, plan?.id, locationId, corners[index]],
      );
      await database.rows(
        'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values ($1, $2, $3, 1, $4, 0.5)',
        [site.orgId, plan?.id, readers[index], 0.25 + index / 2],
      );
    }
    await storeSettings(database, site.orgId, [
      {
        locationId: hall,
        validFrom: START,
        setting: { procedure: 'position', certainty: 1, tagDbm: -55 },
      },
    ]);
  }
});
