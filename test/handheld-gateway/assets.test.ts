import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { expectIssues } from '../support/api.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';
import { storeSweepBy } from '../support/stored-sweep.ts';

describe('looking for assets', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const get = (path: string, token = gateway.token) => gateway.call({ path: `/handheld/v1/${path}`, token });
  const keys = async (query: string) => {
    const { body } = await get(`assets?${query}`);
    return [body?.total_count, body?.data.map((each: { external_key: string }) => each.external_key)];
  };
  const searched = (text: string) => keys(`q=${encodeURIComponent(text)}`);
  const place = { dock: 0, yard: 0, gate: 0, hall: 0 };
  const asset = { lift: 0, never: 0 };
  before(async () => {
    const { site } = gateway;
    place.dock = await site.location('DOCK');
    place.yard = await site.location('YARD');
    place.gate = await site.location('GATE');
    place.hall = await site.location('HALL');
    asset.lift = await site.asset('LIFT-0007', '00E280AA');
    asset.never = await site.asset('NEVER', 'E280CC');
    await site.asset('LIFT-0007-SPARE', 'CASE-LIFT', 'barcode');
    await database.rows(`update assets set name = 'Forklift Nord' where id = $1`, [asset.lift]);
    for (const [index, id] of [place.dock, place.yard, place.gate, place.hall].entries()) {
      await gateway.submit(aSubmission([aScan('E280AA', 100 - index * 10)], { location: { id } }));
    }
  });

  it('finds by name, key and tag, in any case and any spelling, what is named exactly first', async () => {
    expect(await searched('forklift n')).to.deep.equal([1, ['LIFT-0007']]);
    expect(await searched('lift-0007')).to.deep.equal([2, ['LIFT-0007', 'LIFT-0007-SPARE']]);
    expect(await searched('lift-0007-spare')).to.deep.equal([1, ['LIFT-0007-SPARE']]);
    expect(await searched('e2:80:aa')).to.deep.equal([1, ['LIFT-0007']]);
    expect(await searched('0000 e2-80 aa')).to.deep.equal([1, ['LIFT-0007']]);
    expect(await searched('case')).to.deep.equal([1, ['LIFT-0007-SPARE']]);
    expect(await searched('--')).to.deep.equal([0, []]);
    expect(await searched('%')).to.deep.equal([0, []]);
  });

  it('lists all by key, in pages, with where they are and since when', async () => {
    expect(await keys('')).to.deep.equal([3, ['LIFT-0007', 'LIFT-0007-SPARE', 'NEVER']]);
    expect(await keys('limit=1&offset=2')).to.deep.equal([3, ['NEVER']]);
    expect(await keys('offset=9')).to.deep.equal([3, []]);
    const { body } = await get('assets?limit=1');
    const { last_seen, since, ...row } = body?.data[0] ?? {};
    expect(row).to.deep.equal({
      id: asset.lift,
      external_key: 'LIFT-0007',
      name: 'Forklift Nord',
      location: { id: place.hall, external_key: 'HALL', name: 'HALL' },
      tags: [{ tag_type: 'rfid', value: '00E280AA' }],
    });
    expect(last_seen).to.equal(since);
    expectIssues(await get('assets?limit=1001&q=a%00'), [
      ['q', 'invalid_value'],
      ['limit', 'too_large'],
    ]);
  });

  it('tells of an asset where it is, since when, and its last three places', async () => {
    const { body } = await get(`assets/${asset.lift}`);
    const { stays, since } = body?.data ?? {};
    expect(stays.map((stay: { location: { name: string } }) => stay.location.name)).to.deep.equal([
      'HALL',
      'GATE',
      'YARD',
    ]);
    expect(stays[0]).to.include({ arrived_at: since, left_at: null });
    expect(stays[1].left_at).to.equal(stays[0].arrived_at);
    expect((await get(`assets/${asset.never}`)).body?.data).to.deep.include({
      last_seen: null,
      since: null,
      location: null,
      stays: [],
    });
  });

  it('tells whether it is still there, as far as that can be told', async () => {
    const presence = async (id: number) => (await get(`assets/${id}`)).body?.data.presence;
    expect(await presence(asset.lift)).to.equal(null);
    expect(await presence(asset.never)).to.equal(null);
    await gateway.site.reader('hall 1', [place.hall]);
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now() - interval '1 hour', 'continuous', 10, false, 'all')`,
      [gateway.site.orgId, place.hall],
    );
    const { state_since: since, ...unknown } = await presence(asset.lift);
    expect(unknown).to.deep.equal({ state: 'unknown', reader_name: 'hall 1', is_by_sweep: false });
    const { last_seen: seen } = (await get(`assets/${asset.lift}`)).body?.data ?? {};
    expect(Date.parse(since) - Date.parse(seen)).to.equal(10_000);
    await storeSweepBy(
      database,
      { orgId: gateway.site.orgId, handheld: 'gun' },
      {
        ...{ id: 'SWEEP', locationId: place.hall, endedAt: new Date(Date.now() - 5_000).toISOString() },
        ...{ expected: [asset.lift], missing: [asset.lift] },
      },
    );
    const missing = { state: 'missing', reader_name: null, is_by_sweep: true };
    expect(await presence(asset.lift)).to.include(missing);
    const { body } = await get('assets?q=forklift');
    expect(body?.data[0].presence).to.include(missing);
    await database.empty('sweep_assets, sweeps');
  });

  it('knows nothing of deleted assets, and names places that were deleted since', async () => {
    const gone = await gateway.site.asset('GONE', 'E2FFFF');
    await database.rows('update assets set deleted_at = now() where id = $1', [gone]);
    await database.rows('update locations set deleted_at = now() where id = $1', [place.yard]);
    expect(await searched('E2FFFF')).to.deep.equal([0, []]);
    expect((await get(`assets/${gone}`)).body?.error).to.include({ detail: 'Asset not found' });
    const { body } = await get(`assets/${asset.lift}`);
    expect(body?.data.stays[2].location.name).to.equal('YARD');
  });

  it('sends very many tags piece by piece, and all of them', async () => {
    const other = await Site.create(database, 'Tagged');
    const shelf = await other.location('SHELF');
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: other.orgId,
      name: 'their gun',
    });
    for (const key of ['A', 'B', 'C']) {
      const id = await other.asset(key);
      await database.rows(
        `with seen as (
           insert into positions (org_id, asset_id, location_id, since, last_seen) values ($1, $2, $3, now(), now())
         )
         insert into tags (org_id, tag_type, value, tag_key, asset_id)
         select $1, 'ble', $4 || n, $4 || n, $2 from generate_series(1, 3000) n`,
        [other.orgId, id, shelf, key],
      );
    }
    for (const path of ['assets', 'assets?q=b', `locations/${shelf}/assets`]) {
      const { body, headers } = await get(path, token);
      const tags = body?.data.map((each: { external_key: string; tags: { value: string }[] }) => [
        ...[each.external_key, each.tags.length, each.tags[0]?.value, each.tags.at(-1)?.value],
      ]);
      const all = ['A', 'B', 'C'].map((key) => [key, 3_000, `${key}1`, `${key}3000`]);
      expect(tags).to.deep.equal(path.includes('q=') ? [all[1]] : all);
      // One piece has a length.
      expect(headers.has('content-length'), path).to.equal(path.includes('q='));
    }
  });

  it('keeps organizations apart', async () => {
    const other = await Site.create(database, 'Other');
    const theirs = await other.asset('LIFT-THEIRS', 'E280AA');
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: other.orgId,
      name: 'their gun',
    });
    expect(await searched('lift-theirs')).to.deep.equal([0, []]);
    expect((await get(`assets/${theirs}`)).status).to.equal(404);
    expect((await get(`assets/${asset.lift}`, token)).status).to.equal(404);
    const { body } = await get('assets?q=e280aa', token);
    expect(body?.data.map(({ id }: { id: number }) => id)).to.deep.equal([theirs]);
    expect((await get('assets', token)).body?.total_count).to.equal(1);
  });
});
