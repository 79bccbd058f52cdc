import { expect } from 'chai';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission, statusesOf } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';

describe('a submission', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const place = { dock: 0, shelf: 0 };
  const dock = () => ({ id: place.dock, external_key: 'DOCK-1', name: 'DOCK-1' });
  const shelf = () => ({ id: place.shelf, external_key: 'SHELF-7', name: 'SHELF-7' });
  before(async () => {
    const { site } = gateway;
    place.dock = await site.location('DOCK-1');
    place.shelf = await site.location('SHELF-7');
    await site.tag({ locationId: place.dock }, 'D1', 'barcode');
    await site.tag({ locationId: place.shelf }, 'S7', 'barcode');
    await site.asset('TWIN-1', '00E280CC');
    await site.asset('TWIN-2', '0E280CC');
  });

  let assets = 0;
  async function newAsset() {
    const value = `E2${String(++assets).padStart(6, '0')}`;
    const key = `ASSET-${assets}`;
    const id = await gateway.site.asset(key, value);
    return { id, value, reference: { id, external_key: key, name: key } };
  }
  const positionOf = async (assetId: number) => {
    const [row] = await database.rows<{ location_id: number }>(
      'select location_id from positions where asset_id = $1',
      [assetId],
    );
    return row?.location_id ?? null;
  };

  it('answers assets, locations, unknown and ambiguous tags each as what they are, and records where the person was', async () => {
    const [lift, pallet] = [await newAsset(), await newAsset()];
    const submission = aSubmission([
      aScan(lift.value, 7),
      aScan('S7', 6, 'barcode'),
      aScan(lift.value, 5),
      aScan('E280DD', 4),
      aScan('E280CC', 3),
      aScan(pallet.value, 2),
      aScan(pallet.value.toLowerCase(), 1),
    ]);
    const answer = await gateway.submit(submission);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body?.data).to.include({ submission_id: submission.submission_id });
    expect(statusesOf(answer)).to.deep.equal([
      'no_location',
      'location',
      'moved',
      'unknown',
      'ambiguous',
      'moved',
      'seen',
    ]);
    expect(answer.body?.data.counts).to.deep.equal({
      moved: 2,
      seen: 1,
      location: 1,
      unknown: 1,
      ambiguous: 1,
      no_location: 1,
      duplicate: 0,
      too_late: 0,
      unusable: 0,
    });
    const named = answer.body?.data.results.map(
      ({ asset, location, from }: Record<string, { external_key: string } | null>) =>
        [asset, location, from].map((reference) => reference?.external_key ?? null),
    );
    expect(named).to.deep.equal([
      [lift.reference.external_key, null, null],
      [null, 'SHELF-7', null],
      [lift.reference.external_key, 'SHELF-7', null],
      [null, 'SHELF-7', null],
      [null, 'SHELF-7', null],
      [pallet.reference.external_key, 'SHELF-7', null],
      [pallet.reference.external_key, 'SHELF-7', null],
    ]);
    const rows = await database.rows(
      `select asset_id, location_id, handheld_id, submission_index from scan_events
       where submission_id = $1 order by submission_index`,
      [submission.submission_id],
    );
    const common = { location_id: place.shelf, handheld_id: gateway.handheldId };
    expect(rows).to.deep.equal([
      { ...common, asset_id: lift.id, submission_index: 2 },
      { ...common, asset_id: pallet.id, submission_index: 5 },
      { ...common, asset_id: pallet.id, submission_index: 6 },
    ]);
    const unknown = await database.rows(
      'select value, ambiguous, count, reader_id, location_id from unknown_tags order by value',
    );
    expect(unknown).to.deep.equal([
      { value: 'E280CC', ambiguous: true, count: 1, reader_id: null, location_id: place.shelf },
      { value: 'E280DD', ambiguous: false, count: 1, reader_id: null, location_id: place.shelf },
    ]);
  });

  it('keeps the reading of a signal with the scan', async () => {
    const { id, value } = await newAsset();
    await gateway.submit(aSubmission([{ ...aScan(value), rssi: -54.5 }], { location: { id: place.dock } }));
    expect(await database.rows('select rssi from scan_events where asset_id = $1', [id])).to.deep.equal([
      { rssi: -54.5 },
    ]);
  });

  it('takes a signal that no radio hears for none, and keeps the scan', async () => {
    const { id, value } = await newAsset();
    for (const rssi of [0, 127, -150]) {
      await gateway.submit(aSubmission([{ ...aScan(value), rssi }], { location: { id: place.dock } }));
    }
    const stored = await database.rows('select rssi from scan_events where asset_id = $1', [id]);
    expect(stored).to.deep.equal([{ rssi: null }, { rssi: null }, { rssi: null }]);
  });

  for (const [form, location] of [
    ['id', () => ({ id: place.dock })],
    ['external key', () => ({ external_key: 'DOCK-1' })],
    ['tag', () => ({ tag: { tag_type: 'barcode', value: 'D1' } })],
  ] as const) {
    it(`starts where its location says, named by ${form}, until a location's tag is scanned`, async () => {
      const [first, second] = [await newAsset(), await newAsset()];
      const scans = [aScan(first.value, 3), aScan('S7', 2, 'barcode'), aScan(second.value, 1)];
      const { body } = await gateway.submit(aSubmission(scans, { location: location() }));
      expect(body?.data.results[0]).to.deep.include({ status: 'moved', location: dock(), from: null });
      expect(body?.data.results[2]).to.deep.include({ status: 'moved', location: shelf(), from: null });
      expect([await positionOf(first.id), await positionOf(second.id)]).to.deep.equal([
        place.dock,
        place.shelf,
      ]);
    });
  }

  it('says where an asset that moved came from, and of one that was there that it was seen', async () => {
    const { id, value, reference } = await newAsset();
    const at = async (location: number) =>
      (await gateway.submit(aSubmission([aScan(value, 0)], { location: { id: location } }))).body?.data
        .results[0];
    expect(await at(place.dock)).to.deep.include({ status: 'moved', asset: reference, from: null });
    expect(await at(place.dock)).to.deep.include({ status: 'seen', asset: reference, from: null });
    expect(await at(place.shelf)).to.deep.include({ status: 'moved', location: shelf(), from: dock() });
    expect(await positionOf(id)).to.equal(place.shelf);
  });

  it('tells of an asset that is scanned twice on the way as if each scan had come alone', async () => {
    const { id, value } = await newAsset();
    const scans = [
      aScan('D1', 8, 'barcode'),
      aScan(value, 7),
      aScan('S7', 6, 'barcode'),
      aScan(value, 5),
      aScan('D1', 4, 'barcode'),
      aScan(value, 3),
    ];
    const { body } = await gateway.submit(aSubmission(scans));
    const told = [1, 3, 5].map((index) => body?.data.results[index]);
    expect(told.map(({ status }) => status)).to.deep.equal(['moved', 'moved', 'moved']);
    expect(told.map(({ from }) => from)).to.deep.equal([null, dock(), shelf()]);
    expect(await positionOf(id)).to.equal(place.dock);
  });

  it('says that a late scan was seen, since it does not change where the asset is now', async () => {
    const { id, value } = await newAsset();
    await gateway.submit(aSubmission([aScan(value, 10)], { location: { id: place.dock } }));
    const late = await gateway.submit(aSubmission([aScan(value, 3600)], { location: { id: place.shelf } }));
    expect(late.body?.data.results[0]).to.deep.include({ status: 'seen', location: shelf(), from: null });
    expect(await positionOf(id)).to.equal(place.dock);
    const history = await database.rows(
      'select location_id from location_transitions where asset_id = $1 order by observed_at',
      [id],
    );
    expect(history).to.deep.equal([{ location_id: place.shelf }, { location_id: place.dock }]);
  });

  it("lets the smaller location's id win of two scans at one instant, and says so", async () => {
    const { id, value } = await newAsset();
    const scan = aScan(value, 10);
    const scans = [aScan('S7', 11, 'barcode'), scan, aScan('D1', 9, 'barcode'), scan];
    const answer = await gateway.submit(aSubmission(scans));
    expect(statusesOf(answer)).to.deep.equal(['location', 'moved', 'location', 'moved']);
    expect(await positionOf(id)).to.equal(place.dock);
  });

  it("does not take another organization's location, tag or asset for its own", async () => {
    const other = await Site.create(database, 'Other');
    const theirs = await other.location('THEIRS');
    await other.tag({ locationId: theirs }, 'T1', 'barcode');
    const assetId = await other.asset('CRATE', 'E2FFFF01');
    for (const location of [
      { id: theirs },
      { external_key: 'THEIRS' },
      { tag: { tag_type: 'barcode', value: 'T1' } },
    ]) {
      const refused = await gateway.submit(aSubmission([aScan('E2FFFF01')], { location }));
      expect(refused.body?.error?.fields?.[0]).to.deep.include({ code: 'fk_not_found' });
    }
    const scans = [aScan('T1', 2, 'barcode'), aScan('E2FFFF01')];
    const answer = await gateway.submit(aSubmission(scans, { location: { id: place.dock } }));
    expect(statusesOf(answer)).to.deep.equal(['unknown', 'unknown']);
    expect(await positionOf(assetId)).to.equal(null);
  });

  it('takes a deleted location for none, and where an asset came from for what it was', async () => {
    const { value } = await newAsset();
    const old = await gateway.site.location('OLD');
    await gateway.site.tag({ locationId: old }, 'OLD', 'barcode');
    await gateway.submit(aSubmission([aScan(value)], { location: { id: old } }));
    await database.rows('update locations set deleted_at = now() where id = $1', [old]);
    await database.rows('update tags set detached_at = now() where location_id = $1', [old]);
    const refused = await gateway.submit(aSubmission([aScan(value)], { location: { id: old } }));
    expect(refused.body?.error?.fields).to.deep.equal([
      { field: 'location.id', code: 'fk_not_found', message: `location.id ${old} not found` },
    ]);
    const scans = [aScan('OLD', 0, 'barcode'), aScan(value, 0)];
    const moved = await gateway.submit(aSubmission(scans, { location: { id: place.dock } }));
    expect(statusesOf(moved)).to.deep.equal(['unknown', 'moved']);
    expect(moved.body?.data.results[1].from).to.deep.equal({ id: old, external_key: 'OLD', name: 'OLD' });
  });

  it('takes a thousand scans', async () => {
    const { value } = await newAsset();
    const scans = Array.from({ length: 1000 }, (_, index) =>
      aScan(index % 2 === 0 ? value : `E3${index}`, 5),
    );
    const answer = await gateway.submit(aSubmission(scans, { location: { id: place.dock } }));
    expect(answer.status).to.equal(201);
    expect(answer.body?.data.counts).to.include({ moved: 1, seen: 499, unknown: 500 });
  });

  it('is counted, with its scans, in the metrics', async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).to.match(/tagtrail_handheld_submissions_total\{outcome="recorded"\} \d+/);
    expect(metrics).to.match(/tagtrail_handheld_scans_total\{status="ambiguous"\} 1/);
  });
});
