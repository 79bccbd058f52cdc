import { expect } from 'chai';
import type { ReaderSource, Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const AT = Date.UTC(2026, 4, 1, 10) * 1_000;
const LATER = AT + 60_000_000;

describe('the location of a recorded scan', () => {
  const database = useDatabase();
  let site: Site;
  let hall: number;
  let readerId: number;
  let value = 'none yet';
  let assetId: number;
  let count = 0;

  before(async () => {
    site = await Site.create(database);
    hall = await site.location('hall');
    readerId = await site.reader('dock', [hall]);
  });
  beforeEach(async () => {
    value = `crate-${++count}`;
    assetId = await site.asset(value, value);
  });

  function scanAt(locationId: number | null, settings: Partial<ReaderSource> = {}, at = AT): Scan {
    const scan = aRead({ orgId: site.orgId, readerId, value, locationId, at });
    return scan.source.kind === 'reader' ? { ...scan, source: { ...scan.source, ...settings } } : scan;
  }

  async function deletedLocation(): Promise<number> {
    const id = await site.location(`gone-${++count}`);
    await database.rows('update locations set deleted_at = now() where id = $1', [id]);
    return id;
  }

  async function expectNoTrace() {
    const rows = await database.rows('select from scan_events where asset_id = $1', [assetId]);
    expect(rows).to.have.length(0);
    expect(await storedHistory(database, assetId)).to.deep.equal([]);
    const position = await storedPosition(database, assetId);
    expect(position?.lastSeen ?? null).to.equal(null);
  }

  const unplaced: [string, () => Promise<Scan>][] = [
    ['its antenna has no location', async () => scanAt(null)],
    ['its location is soft-deleted', async () => scanAt(await deletedLocation())],
    ['its location does not exist', async () => scanAt(2_147_483_647)],
    [
      'its location is that of another organization',
      async () => scanAt(await (await Site.create(database, 'Globex')).location('hall')),
    ],
    ['the settings of its antenna shut it out', async () => scanAt(hall, { isShutOut: true })],
  ];
  for (const [why, aScan] of unplaced) {
    it(`is nowhere, and the scan without a trace, where ${why}`, async () => {
      const outcomes = await record(database, [await aScan()]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['unplaced']);
      await expectNoTrace();
      const rows = await database.rows('select from unknown_tags where org_id = $1', [site.orgId]);
      expect(rows).to.have.length(0);
    });

    it(`leaves the asset where it was, where ${why}`, async () => {
      await record(database, [scanAt(hall)]);
      const scan = await aScan();
      await record(database, [{ ...scan, deviceTime: LATER, receivedAt: LATER }]);
      expect(await storedPosition(database, assetId)).to.deep.equal({
        locationId: hall,
        since: AT,
        lastSeen: AT,
      });
    });
  }

  it('is nowhere for a stranger too whom the settings of an antenna shut out', async () => {
    const outcomes = await record(database, [{ ...scanAt(hall, { isShutOut: true }), value: 'stranger' }]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['unplaced']);
    const rows = await database.rows('select from unknown_tags where org_id = $1', [site.orgId]);
    expect(rows).to.have.length(0);
  });

  it('is nowhere for a handheld whose location is soft-deleted or another organization’s', async () => {
    const other = await Site.create(database, 'Globex');
    const gone = await deletedLocation();
    for (const locationId of [null, gone, await other.location('hall')]) {
      const scan: Scan = {
        ...scanAt(locationId),
        source: { kind: 'handheld', handheldId: 1, submissionId: 's1', index: 0 },
      };
      const outcomes = await record(database, [scan]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['unplaced']);
    }
    await expectNoTrace();
  });

  it('is each scan’s own within a batch', async () => {
    const outcomes = await record(database, [
      scanAt(null),
      scanAt(hall),
      scanAt(await deletedLocation(), {}, LATER),
      scanAt(hall, { isShutOut: true }, LATER),
      scanAt(hall, {}, LATER),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'unplaced',
      'recorded',
      'unplaced',
      'unplaced',
      'recorded',
    ]);
    expect(await storedPosition(database, assetId)).to.include({ locationId: hall, lastSeen: LATER });
  });

  it('stays in the history after the location was deleted', async () => {
    const first = await site.location(`first-${++count}`);
    await record(database, [scanAt(first), scanAt(hall, {}, LATER)]);
    await database.rows('update locations set deleted_at = now() where id = $1', [first]);
    const outcomes = await record(database, [scanAt(hall, {}, AT + 30_000_000)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['recorded']);
    expect(await storedHistory(database, assetId)).to.deep.equal([
      { observedAt: AT, locationId: first, durationSeconds: null },
      { observedAt: AT + 30_000_000, locationId: hall, durationSeconds: 30 },
    ]);
  });
});
