import { expect } from 'chai';
import { expectIssues } from '../support/api.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';

describe('looking up', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const get = (path: string) => gateway.call({ path: `/handheld/v1/${path}` });
  const tagPath = (tagType: string, value: string) =>
    `tags?tag_type=${tagType}&value=${encodeURIComponent(value)}`;
  const place = { hall: 0, dock: 0, aisle: 0, yard: 0 };
  const asset = { lift: 0, crate: 0, never: 0 };
  let seenAt: string;
  before(async () => {
    const { site } = gateway;
    place.yard = await site.location('YARD');
    place.hall = await site.location('HALL');
    place.dock = await site.location('dock-1', place.hall);
    place.aisle = await site.location('AISLE-1', place.hall);
    await site.tag({ locationId: place.dock }, 'D1', 'barcode');
    await site.tag({ locationId: place.dock }, 'E2-D1');
    asset.lift = await site.asset('LIFT', '00E280AA');
    asset.crate = await site.asset('CRATE', 'E280BB');
    asset.never = await site.asset('NEVER', 'E280CC');
    await site.asset('TWIN-1', '00E280DD');
    await site.asset('TWIN-2', '0E280DD');
    await site.tag({ assetId: asset.lift }, 'LIFT-1', 'barcode');
    const scans = [aScan('E280AA', 2), aScan('E280BB', 1)];
    const { body } = await gateway.submit(aSubmission(scans, { location: { id: place.dock } }));
    seenAt = body?.data.results[0].observed_at;
    const yard = await gateway.submit(aSubmission([aScan('00E280DD', 0)], { location: { id: place.yard } }));
    expect(yard.body?.data.counts).to.include({ moved: 1 });
  });
  const dock = () => ({ id: place.dock, external_key: 'dock-1', name: 'dock-1' });

  describe('what is behind a tag', () => {
    it('finds an asset, and where it is', async () => {
      const lift = {
        id: asset.lift,
        external_key: 'LIFT',
        name: 'LIFT',
        last_seen: seenAt,
        location: dock(),
      };
      expect((await get(tagPath('barcode', 'LIFT-1'))).body?.data).to.deep.equal({
        tag_type: 'barcode',
        value: 'LIFT-1',
        asset: lift,
        location: null,
      });
      // As a scan of it would be matched: without separators, case and leading zeros.
      expect((await get(tagPath('rfid', 'e2:80:aa'))).body?.data).to.deep.equal({
        tag_type: 'rfid',
        value: '00E280AA',
        asset: lift,
        location: null,
      });
    });

    it('finds an asset that was never seen', async () => {
      expect((await get(tagPath('rfid', 'E280CC'))).body?.data.asset).to.deep.equal({
        id: asset.never,
        external_key: 'NEVER',
        name: 'NEVER',
        last_seen: null,
        location: null,
      });
    });

    it('finds a location', async () => {
      expect((await get(tagPath('barcode', 'D1'))).body?.data).to.deep.equal({
        tag_type: 'barcode',
        value: 'D1',
        asset: null,
        location: dock(),
      });
    });

    it('prefers the very value where several tags match, and finds none of them otherwise', async () => {
      expect((await get(tagPath('rfid', '00E280DD'))).body?.data.asset).to.include({
        external_key: 'TWIN-1',
      });
      const { body } = await get(tagPath('rfid', 'E280DD'));
      expect(body?.error).to.include({
        type: 'not_found',
        detail: 'Several tags match, and none has this very value',
      });
    });

    it('finds nothing where there is nothing', async () => {
      for (const path of [tagPath('rfid', 'E2FF'), tagPath('ble', 'LIFT-1'), tagPath('barcode', 'lift-1')]) {
        expect((await get(path)).body?.error).to.include({ type: 'not_found', detail: 'Tag not found' });
      }
      await database.rows(`update tags set detached_at = now() where value = 'E280CC'`);
      expect((await get(tagPath('rfid', 'E280CC'))).status).to.equal(404);
    });

    it('wants a kind and a usable value, each once, and nothing else', async () => {
      expectIssues(await get('tags'), [
        ['tag_type', 'required'],
        ['value', 'required'],
      ]);
      expectIssues(await get('tags?tag_type=nfc&value='), [
        ['tag_type', 'invalid_value'],
        ['value', 'too_short'],
      ]);
      expectIssues(await get(`tags?tag_type=rfid&value=${'x'.repeat(256)}`), [['value', 'too_long']]);
      expectIssues(await get('tags?tag_type=rfid&value=a%00'), [['value', 'invalid_value']]);
      expectIssues(await get('tags?tag_type=rfid&value=--'), [['value', 'invalid_value']]);
      expectIssues(await get('tags?tag_type=rfid&value=a&value=b'), [['value', 'invalid_value']]);
      expectIssues(await get('tags?tag_type=rfid&value=a&limit=1'), [['limit', 'unknown_field']]);
    });
  });

  describe('the live locations', () => {
    it('come depth first, siblings by key whatever the case, with their tags', async () => {
      const { body } = await get('locations');
      const row = (id: number, key: string, parent: number | null, tags: object[] = []) => ({
        id,
        external_key: key,
        name: key,
        parent_id: parent,
        tags,
      });
      expect(body).to.deep.equal({
        data: [
          row(place.hall, 'HALL', null),
          row(place.aisle, 'AISLE-1', place.hall),
          row(place.dock, 'dock-1', place.hall, [
            { tag_type: 'barcode', value: 'D1' },
            { tag_type: 'rfid', value: 'E2-D1' },
          ]),
          row(place.yard, 'YARD', null),
        ],
        limit: 1000,
        offset: 0,
        total_count: 4,
      });
    });

    it('come in pages, of which the last ends', async () => {
      const keys = async (query: string) => {
        const { body } = await get(`locations?${query}`);
        return [body?.total_count, body?.data.map((each: { external_key: string }) => each.external_key)];
      };
      expect(await keys('limit=3')).to.deep.equal([4, ['HALL', 'AISLE-1', 'dock-1']]);
      expect(await keys('limit=3&offset=3')).to.deep.equal([4, ['YARD']]);
      expect(await keys('offset=9')).to.deep.equal([4, []]);
    });

    it('leave out what was deleted', async () => {
      const gone = await gateway.site.location('GONE');
      await database.rows('update locations set deleted_at = now() where id = $1', [gone]);
      expect((await get('locations')).body?.total_count).to.equal(4);
    });

    it('want bounds that can be', async () => {
      expectIssues(await get('locations?limit=1001&offset=-1&q=x'), [
        ['limit', 'too_large'],
        ['offset', 'too_small'],
        ['q', 'unknown_field'],
      ]);
    });
  });

  describe('what should be at a location', () => {
    it('is what was last seen there, by key, with its tags', async () => {
      const { body } = await get(`locations/${place.dock}/assets`);
      expect(body).to.include({ limit: 1000, offset: 0, total_count: 2 });
      expect(body?.data.map((each: { external_key: string }) => each.external_key)).to.deep.equal([
        'CRATE',
        'LIFT',
      ]);
      expect(body?.data[1]).to.deep.equal({
        id: asset.lift,
        external_key: 'LIFT',
        name: 'LIFT',
        last_seen: seenAt,
        tags: [
          { tag_type: 'rfid', value: '00E280AA' },
          { tag_type: 'barcode', value: 'LIFT-1' },
        ],
      });
    });

    it('comes in pages, and is not what is below', async () => {
      const { body } = await get(`locations/${place.dock}/assets?limit=1&offset=1`);
      expect(body?.data).to.have.lengthOf(1);
      expect(body?.data[0].id).to.equal(asset.lift);
      const hall = await get(`locations/${place.hall}/assets`);
      expect(hall.body).to.deep.equal({ data: [], limit: 1000, offset: 0, total_count: 0 });
    });

    it('leaves out deleted assets', async () => {
      await database.rows('update assets set deleted_at = now() where id = $1', [asset.crate]);
      const { body } = await get(`locations/${place.dock}/assets`);
      expect(body?.total_count).to.equal(1);
    });

    it('is not known of a location that is not there', async () => {
      expect((await get('locations/4000/assets')).body?.error).to.include({ detail: 'Location not found' });
      expectIssues(await get('locations/0/assets'), [['location_id', 'too_small']]);
      expectIssues(await get('locations/2147483648/assets'), [['location_id', 'too_large']]);
      expectIssues(await get('locations/dock/assets'), [['location_id', 'invalid_value']]);
      expectIssues(await get(`locations/${place.dock}/assets?limit=0`), [['limit', 'too_small']]);
    });
  });

  it('answers HEAD as it answers GET, without the body', async () => {
    const head = await gateway.call({ method: 'HEAD', path: '/handheld/v1/locations' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  describe('a tag that one asset or location has in several spellings', () => {
    it('is that asset or location', async () => {
      const { site } = gateway;
      await site.tag({ assetId: asset.never }, 'E2-80-EE');
      await site.tag({ assetId: asset.never }, 'e2-80ee');
      await site.tag({ locationId: place.dock }, 'e2d1');
      expect((await get(tagPath('rfid', 'E280EE'))).body?.data.asset).to.include({ external_key: 'NEVER' });
      expect((await get(tagPath('rfid', 'E2 D1'))).body?.data.location).to.deep.equal(dock());
      const scans = [aScan('E2:D1', 1), aScan('E2 80 EE', 0)];
      const { body } = await gateway.submit(aSubmission(scans));
      expect(body?.data.results.map(({ status }: { status: string }) => status)).to.deep.equal([
        'location',
        'moved',
      ]);
    });
  });
});
