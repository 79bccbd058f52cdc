import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { setSmoothing } from '../../../../domain/administration/smoothing/set-smoothing.ts';
import { recomputeOrganization } from '../../../../domain/tracking/recompute/recompute-organization.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import type { DatedSmoothing } from '../../../../domain/tracking/smoothing/settings.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { storeSettings } from '../../../support/stored-smoothing.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('a recorded scan where smoothing is on', () => {
  const database = useDatabase();
  const LOCATIONS = ['A', 'B'];
  let site: Site;
  let locations: number[];
  let readerId: number;
  let assetId: number;

  beforeEach(async () => {
    site = await Site.create(database);
    locations = [await site.location('A'), await site.location('B')];
    readerId = await site.reader(`dock-${site.orgId}`, [null]);
    assetId = await site.asset('CRATE', 'CRATE');
  });

  /** Reads as a line of seconds and locations, such as `0A 3B`, recorded one after the other in that order. */
  async function arrive(line: string): Promise<void> {
    for (const word of line.split(' ')) {
      const at = START + Number.parseInt(word, 10) * SECOND;
      const locationId = locations[LOCATIONS.indexOf(word.slice(-1))] ?? null;
      await record(database, [aRead({ orgId: site.orgId, readerId, value: 'CRATE', locationId, at })]);
    }
  }

  const from = (second: number, window: number, minimum: number): DatedSmoothing => ({
    locationId: null,
    validFrom: START + second * SECOND,
    smoothing: { window: window * SECOND, minimum: minimum * SECOND, margin: null },
  });

  async function stays(): Promise<string> {
    const rows = await storedHistory(database, assetId);
    return rows
      .map(
        ({ observedAt, locationId }) =>
          `${(observedAt - START) / SECOND}${LOCATIONS[locations.indexOf(locationId)]}`,
      )
      .join(' ');
  }

  it('is the last seen of its asset, whether it counts or not', async () => {
    await storeSettings(database, site.orgId, [from(0, 20, 5)]);
    await arrive('0A 3A 6B');
    expect(await storedPosition(database, assetId)).to.deep.equal({
      locationId: locations[0],
      since: START,
      lastSeen: START + 6 * SECOND,
    });
  });

  it('makes the move that it proves begin with the first sighting', async () => {
    await storeSettings(database, site.orgId, [from(0, 20, 5)]);
    await arrive('0A 3A 6B 8B');
    expect(await stays()).to.equal('0A');
    await arrive('11B');
    expect(await stays()).to.equal('0A 6B');
  });

  it('can, if it is late, put in doubt what it falls into', async () => {
    await storeSettings(database, site.orgId, [from(0, 20, 5)]);
    await arrive('0A 3A 6B 8B 11B');
    expect(await stays()).to.equal('0A 6B');
    await arrive('9A');
    expect(await stays()).to.equal('0A');
  });

  it('can, if it is late, change the location through doubt of any length', async () => {
    await storeSettings(database, site.orgId, [from(0, 20, 20)]);
    const turns = Array.from({ length: 150 }, (_, index) => `${10 + index * 2}${LOCATIONS[index % 2]}`);
    await arrive(`0A ${turns.join(' ')} 400A`);
    expect(await stays()).to.equal('0A');
    await arrive('-30B');
    expect(await stays()).to.equal('-30B 0A');
    await arrive('-10B');
    expect(await stays()).to.equal('-30B 400A');
  });

  it('is judged by the setting of its own time, also where a late one leads the way there', async () => {
    await storeSettings(database, site.orgId, [from(-100, 10, 10), from(640, 600, 600)]);
    const turns = Array.from({ length: 71 }, (_, index) => `${9 + index * 9}${LOCATIONS[(index + 1) % 2]}`);
    await arrive(`0A ${turns.join(' ')} 645B 660A 680A 1500A`);
    expect(await stays()).to.equal('0A');
    await arrive('-20B -3B');
    expect(await stays()).to.equal('-20B 1500A');
  });

  it('is judged, if it is late, by the setting that held when it was observed', async () => {
    await arrive('0A 3B 6A');
    const setting = from(0, 20, 5).smoothing;
    const validFrom = await setSmoothing(databaseOn(database.pool), TEST_ACTOR, {
      orgId: site.orgId,
      locationExternalKey: null,
      smoothing: setting,
      now: START,
    });
    expect(validFrom).to.equal(START + 6 * SECOND + 1);
    expect(await stays()).to.equal('0A 3B 6A');
    await arrive('9B 12A 4A');
    expect(await stays()).to.equal('0A 3B 4A');
  });

  describe('at the instant at which a person scans what an antenna elsewhere reads strongly', () => {
    const twoAtOnce = (): Scan[] => {
      const at = START + 4 * SECOND;
      const readAt = (locationId: number | null | undefined, rssi: number | null) =>
        aRead({ orgId: site.orgId, readerId, value: 'CRATE', locationId: locationId ?? null, at, rssi });
      const source = { kind: 'handheld', handheldId: 1, submissionId: `of ${assetId}`, index: 0 } as const;
      return [readAt(locations[0], -40), { ...readAt(locations[1], null), source }];
    };
    const arrivals: [string, (scans: Scan[]) => Scan[][]][] = [
      ['the read first', (scans) => scans.map((scan) => [scan])],
      ["the person's first", (scans) => scans.toReversed().map((scan) => [scan])],
      ['both in one batch', (scans) => [scans]],
    ];
    for (const [how, batchesOf] of arrivals) {
      it(`says what the person says, and so does computing it anew, ${how}`, async () => {
        await storeSettings(database, site.orgId, [from(0, 20, 5)]);
        await arrive('0A 3A');
        for (const batch of batchesOf(twoAtOnce())) {
          await record(database, batch);
        }
        expect(await stays()).to.equal('0A 4B');
        expect(await storedPosition(database, assetId)).to.include({ locationId: locations[1] });
        await arrive('6A');
        expect(await recomputeOrganization(database.pool, site.orgId, { isDry: true })).to.include({
          assets: 1,
          changed: 0,
        });
      });

      it(`goes by strength where smoothing is off, ${how}`, async () => {
        await arrive('0A 3A');
        for (const batch of batchesOf(twoAtOnce())) {
          await record(database, batch);
        }
        expect(await stays()).to.equal('0A');
      });
    }
  });

  describe('at two gates that both see an asset pass', () => {
    const PASSING: [number, string, number][] = [
      [0, 'A', -40],
      [4.4, 'A', -53],
      [5.8, 'B', -46],
      [6.2, 'B', -58],
      [7.3, 'B', -46],
    ];
    const passing = () =>
      PASSING.map(([second, location, rssi]) => {
        const locationId = locations[LOCATIONS.indexOf(location)] ?? null;
        return aRead({
          orgId: site.orgId,
          readerId,
          value: 'CRATE',
          locationId,
          at: START + second * SECOND,
          rssi,
        });
      });
    const arrivals: [string, (scans: Scan[]) => Scan[][]][] = [
      ['one by one in order', (scans) => scans.map((scan) => [scan])],
      ['one by one backwards', (scans) => scans.toReversed().map((scan) => [scan])],
      ['all at once', (scans) => [scans]],
    ];
    for (const [how, batchesOf] of arrivals) {
      it(`dates the move at the first sighting that a later one proves, ${how}`, async () => {
        const smoothing = { window: 6 * SECOND, minimum: SECOND, margin: 6 };
        await storeSettings(database, site.orgId, [
          { locationId: null, validFrom: START - SECOND, smoothing },
        ]);
        for (const batch of batchesOf(passing())) {
          await record(database, batch);
        }
        expect(await stays()).to.equal('0A 5.8B');
        expect(await storedPosition(database, assetId)).to.deep.equal({
          locationId: locations[1],
          since: START + 5.8 * SECOND,
          lastSeen: START + 7.3 * SECOND,
        });
      });
    }
  });
});
