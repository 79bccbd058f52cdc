import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { sitesToTry, tryOnAssets } from '../../../../domain/tracking/location/try-on-assets.ts';
import { recomputeOrganization } from '../../../../domain/tracking/recompute/recompute-organization.ts';
import { takeBack } from '../../../../domain/tracking/retractions/retract.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { aRead, record, storedHistory, storedPosition } from '../../../support/recording.ts';
import { START } from '../../../support/sightings.ts';
import { Site } from '../../../support/site.ts';

describe('a scan that is taken back', () => {
  const database = useDatabase();
  const locations: Record<string, number> = {};
  let site: Site;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    for (const key of ['A', 'B']) {
      locations[key] = await site.location(key);
    }
  });

  const at = (seconds: number) => START + seconds * MICROS_PER_SECOND;

  async function anAsset() {
    const name = `asset-${++assets}`;
    const id = await site.asset(name, name);
    const scanOf = (seconds: number, location: string, more: Partial<Scan> = {}): Scan => ({
      ...aRead({
        orgId: site.orgId,
        readerId: 1,
        value: name,
        locationId: locations[location] ?? 0,
        at: at(seconds),
      }),
      ...more,
    });
    return {
      id,
      read: (seconds: number, location: string) => record(database, [scanOf(seconds, location)]),
      scan: (seconds: number, location: string) => {
        const source = { kind: 'handheld', handheldId: 1, submissionId: name, index: seconds } as const;
        return record(database, [scanOf(seconds, location, { source })]);
      },
      takeBack: (...seconds: number[]) =>
        inTransaction(database.pool, (client) =>
          takeBack(
            client,
            seconds.map((second) => ({
              orgId: site.orgId,
              assetId: id,
              observedAt: at(second),
              submissionId: name,
              index: second,
              retractionId: 'R',
            })),
          ),
        ),
      history: async () =>
        (await storedHistory(database, id)).map(({ observedAt, locationId, durationSeconds }) => [
          (observedAt - START) / MICROS_PER_SECOND,
          nameOf(locationId),
          durationSeconds,
        ]),
      position: async () => {
        const { locationId, since, lastSeen } = (await storedPosition(database, id)) ?? {};
        return [nameOf(locationId), since === undefined ? since : seconds(since), seconds(lastSeen)];
      },
    };
  }
  const seconds = (micros: number | null | undefined) =>
    micros === null || micros === undefined ? null : (micros - START) / MICROS_PER_SECOND;
  const nameOf = (id: number | null | undefined) =>
    Object.entries(locations).find(([, other]) => other === id)?.[0] ?? null;

  it('was the first: the next becomes the first row, with no duration', async () => {
    const asset = await anAsset();
    await asset.scan(0, 'A');
    await asset.read(60, 'B');
    await asset.read(100, 'A');
    expect(await asset.takeBack(0)).to.equal(1);
    expect(await asset.history()).to.deep.equal([
      [60, 'B', null],
      [100, 'A', 40],
    ]);
  });

  it('was alone in its stay: the stays around it become one', async () => {
    const asset = await anAsset();
    await asset.read(0, 'A');
    await asset.scan(60, 'B');
    await asset.read(100, 'A');
    await asset.takeBack(60);
    expect(await asset.history()).to.deep.equal([[0, 'A', null]]);
    expect(await asset.position()).to.deep.equal(['A', 0, 100]);
  });

  it('is one of several, months apart: all are taken back at once', async () => {
    const asset = await anAsset();
    const day = 86_400;
    await asset.read(0, 'A');
    await asset.scan(10 * day, 'B');
    await asset.read(20 * day, 'A');
    await asset.scan(70 * day, 'B');
    await asset.takeBack(70 * day, 10 * day);
    expect(await asset.history()).to.deep.equal([[0, 'A', null]]);
    expect(await asset.position()).to.deep.equal(['A', 0, 20 * day]);
  });

  it('is one of several, in as many chunks of a hypertable: those are marked, and no other at their places', async () => {
    const asset = await anAsset();
    const day = 86_400;
    const days = [0, 40, 80, 120, 160];
    for (const [index, count] of days.entries()) {
      await asset.scan(count * day, index % 2 === 0 ? 'A' : 'B');
    }
    await asset.takeBack(40 * day, 120 * day);
    expect(await asset.history()).to.deep.equal([[0, 'A', null]]);
    expect(await asset.position()).to.deep.equal(['A', 0, 160 * day]);
    const [stored] = await database.rows(
      `select array_agg(retraction_id order by observed_at) as marks, count(distinct tableoid)::integer as chunks
       from scan_events where asset_id = $1`,
      [asset.id],
    );
    const [{ hypertables } = { hypertables: false }] = await database.rows<{ hypertables: boolean }>(
      `select exists (select from pg_extension where extname = 'timescaledb') as hypertables`,
    );
    expect(stored).to.deep.equal({
      marks: [null, 'R', null, 'R', null],
      chunks: hypertables ? days.length : 1,
    });
  });

  it('was the newest: the asset was last seen by the newest that is left', async () => {
    const asset = await anAsset();
    await asset.read(0, 'A');
    await asset.read(30, 'A');
    await asset.scan(60, 'A');
    expect(await asset.takeBack(60), 'no row has changed, so nothing is told').to.equal(0);
    expect(await asset.position()).to.deep.equal(['A', 0, 30]);
    await asset.read(45, 'B');
    expect(await asset.position()).to.deep.equal(['B', 45, 45]);
  });

  it('was the only one left of the raw scans: it was last seen when it came to where it is', async () => {
    const asset = await anAsset();
    await asset.read(0, 'A');
    await asset.read(30, 'A');
    await database.rows('delete from scan_events where asset_id = $1', [asset.id]);
    await asset.scan(60, 'B');
    await asset.takeBack(60);
    expect(await asset.history()).to.deep.equal([[0, 'A', null]]);
    expect(await asset.position()).to.deep.equal(['A', 0, 0]);
  });

  it('leaves its neighbours to prove themselves, where strength decides', async () => {
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: at(-1), setting: STRENGTH }]);
    const asset = await anAsset();
    await asset.read(0, 'A');
    await asset.read(4, 'B');
    await asset.scan(6, 'B');
    // One read here and one there prove nothing.
    expect(await asset.history()).to.deep.equal([[6, 'B', null]]);
    await asset.takeBack(6);
    expect(await asset.history()).to.deep.equal([]);
    const other = await anAsset();
    await other.read(0, 'A');
    await other.scan(10, 'B');
    await other.read(12, 'A');
    expect(await other.history()).to.deep.equal([
      [0, 'A', null],
      [10, 'B', 10],
      [12, 'A', 2],
    ]);
    await other.takeBack(10);
    expect(await other.history()).to.deep.equal([[0, 'A', null]]);
    expect(await other.position()).to.deep.equal(['A', 0, 12]);
    await storeSettings(database, site.orgId, []);
  });

  it('stays away when the history is recomputed, and is not tried settings on', async () => {
    const asset = await anAsset();
    await asset.read(0, 'A');
    await asset.scan(60, 'B');
    await asset.read(100, 'A');
    await asset.takeBack(60);
    const ref = { orgId: site.orgId, assetId: asset.id };
    expect(await recomputeOrganization(database.pool, ref.orgId, { assetId: ref.assetId })).to.include({
      written: 0,
      removed: 0,
    });
    const tried = [];
    const period = { from: at(-10), to: at(200) };
    const db = databaseOn(database.pool);
    const deciding = { procedure: 'strength' as const, certainty: 1, tagDbm: null };
    const trial = { ...ref, locationId: null, deciding, period };
    for await (const each of tryOnAssets(db, trial, await sitesToTry(db, trial))) {
      tried.push(...each.kept, ...each.appearing, ...each.disappearing);
    }
    expect(tried).to.deep.equal([]);
  });

  it('that has left a wrong history is mended by recomputing it', async () => {
    const asset = await anAsset();
    await asset.scan(0, 'B');
    await asset.read(60, 'A');
    await database.rows(
      `update scan_events set retraction_id = 'R' where asset_id = $1 and reader_id is null`,
      [asset.id],
    );
    await recomputeOrganization(database.pool, site.orgId, { assetId: asset.id });
    expect(await asset.history()).to.deep.equal([[60, 'A', null]]);
  });
});
