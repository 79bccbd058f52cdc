import { expect } from 'chai';
import { tagKey } from '../../domain/tracking/tag-key.ts';
import type { TagType } from '../../domain/tracking/tag-type.ts';
import { useConsole } from '../support/console.ts';

describe('the inbox of the console', () => {
  const suite = useConsole();
  const { call } = suite;
  const post = (path: string, json: object) => call({ method: 'POST', path, json });
  const listed = async (query = '') =>
    (await call({ path: `/unknown-tags${query}` })).body.data.map(({ id }: { id: string }) => id);

  before(async () => {
    await suite.database.rows(
      `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen, antenna, rssi)
       select $1, 'rfid', value, value, false, 3, now() - interval '1 hour', now() - place * interval '1 minute', 2, -51
       from unnest(array['E280A', 'E280B', 'E280C']) with ordinality as given (value, place)`,
      [suite.orgId],
    );
  });

  it('lists unknown tags with where they were read last, the last seen first, page by page', async () => {
    expect(await listed()).to.deep.equal(['rfid:E280A', 'rfid:E280B', 'rfid:E280C']);
    const { data, total_count: count } = (await call({ path: '/unknown-tags?limit=1&offset=1' })).body;
    expect(count).to.equal(3);
    expect(data[0]).to.deep.include({
      ...{ id: 'rfid:E280B', tag_type: 'rfid', value: 'E280B', count: 3, is_ambiguous: false },
      last_read: {
        ...{ reader: null, antenna_port: 2, antenna_name: null, rssi: -51 },
        ...{ location_external_key: null, location_name: null },
      },
    });
    expect((await call({ path: '/unknown-tags?offset=9' })).body).to.include({ total_count: 3 });
  });

  it('attaches one to an asset, which takes it off the list', async () => {
    const { id } = (await post('/assets', { name: 'Pallet', external_key: 'PALLET' })).body.data;
    const answer = await post('/unknown-tags/rfid:E280A/attach', { asset_id: id });
    expect(answer.body.data).to.include({ to: 'asset', external_key: 'PALLET', name: 'Pallet' });
    expect((await call({ path: `/assets/${id}` })).body.data.tags[0]).to.include({ value: 'E280A' });
    expect(await listed()).to.deep.equal(['rfid:E280B', 'rfid:E280C']);
    expect((await post('/unknown-tags/rfid:E280A/attach', { asset_id: id })).status).to.equal(404);
    expect((await post('/unknown-tags/rfid:E280B/attach', { asset_id: 999 })).status).to.equal(404);
    expect((await post('/unknown-tags/rfid:E280B/attach', {})).status).to.equal(400);
  });

  it('makes an asset of one', async () => {
    const tags = [{ tag_type: 'rfid', value: 'E280B' }];
    expect((await post('/assets', { name: 'New', tags })).status).to.equal(201);
    expect(await listed()).to.deep.equal(['rfid:E280C']);
  });

  it('ignores one for good, until it is wanted again', async () => {
    expect((await post('/unknown-tags/rfid:E280C/ignore', {})).status).to.equal(204);
    expect([await listed(), await listed('?ignored=true')]).to.deep.equal([[], ['rfid:E280C']]);
    expect((await post('/unknown-tags/rfid:E280C/ignore', { undo: true })).status).to.equal(204);
    expect(await listed()).to.deep.equal(['rfid:E280C']);
    expect((await post('/unknown-tags/none/ignore', {})).status).to.equal(404);
  });

  it('takes values that mean something in addresses, or break lines', async () => {
    const values = ['https://x.example/y?z=1#%41', 'a/../b', '\\', 'line\nand\ttab', '"><img src=x>'];
    await suite.database.rows(
      `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen)
       select $1, 'barcode', value, key, false, 1, now(), now() from unnest($2::text[], $3::text[]) as given (value, key)`,
      [suite.orgId, values, values.map((value) => tagKey('barcode', value))],
    );
    for (const value of values) {
      const path = `/unknown-tags/${encodeURIComponent(`barcode:${value}`)}/ignore`;
      expect((await post(path, {})).status, value).to.equal(204);
    }
    expect(await listed('?ignored=true')).to.have.members(values.map((value) => `barcode:${value}`));
    expect((await post('/unknown-tags/barcode:a%00b/ignore', {})).status).to.equal(404);
    await suite.database.rows(`delete from unknown_tags where tag_type = 'barcode'`);
  });

  it('attaches one to a location', async () => {
    const { id } = (await post('/locations', { name: 'Dock', external_key: 'DOCK' })).body.data;
    const answer = await post('/unknown-tags/rfid:E280C/attach', { location_id: id });
    expect(answer.body.data).to.include({ to: 'location', id, external_key: 'DOCK' });
    expect(await listed()).to.deep.equal([]);
  });

  it('filters and sorts them, and counts those that came after the list was read', async () => {
    const reader = (
      await suite.database.rows<{ id: number }>(
        `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
         values ($1, 'Gate', 'gate', 'tagtrail', 'gate', sha256('')) returning id`,
        [suite.orgId],
      )
    )[0]?.id;
    const seen = (type: string, value: string, rssi: number | null, count: number) =>
      suite.database.rows(
        `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen, rssi, reader_id)
         values ($1, $2, $3, $4, false, $5, now(), now(), $6, $7)`,
        [
          suite.orgId,
          type,
          value,
          tagKey(type as TagType, value),
          count,
          rssi,
          type === 'ble' ? reader : null,
        ],
      );
    await seen('rfid', 'WEAK', -70, 5);
    await seen('ble', 'AA:BB:CC:DD:EE:FF', -40, 2);
    await seen('rfid', 'SILENT', null, 9);
    const { as_of: asOf, data } = (await call({ path: '/unknown-tags?sort=-rssi' })).body;
    // As precise as the tags' own times: cut to milliseconds, the list's newest tag may count as a later one.
    expect(asOf).to.match(/\.\d{6}Z$/);
    expect(data.map(({ value }: { value: string }) => value)).to.deep.equal([
      'AA:BB:CC:DD:EE:FF',
      'WEAK',
      'SILENT',
    ]);
    expect(data[0].last_read.reader).to.deep.equal({ id: reader, name: 'Gate' });
    expect(await listed('?sort=-count')).to.deep.equal(['rfid:SILENT', 'rfid:WEAK', 'ble:AA:BB:CC:DD:EE:FF']);
    expect(await listed('?q=ilen')).to.deep.equal(['rfid:SILENT']);
    expect(await listed('?q=aa-bb-cc-dd-ee-ff')).to.deep.equal(['ble:AA:BB:CC:DD:EE:FF']);
    expect(await listed('?tag_type=ble')).to.deep.equal(['ble:AA:BB:CC:DD:EE:FF']);
    expect(await listed(`?reader_id=${reader}`)).to.deep.equal(['ble:AA:BB:CC:DD:EE:FF']);
    expect((await call({ path: '/unknown-tags?tag_type=coin' })).status).to.equal(400);
    const later = `/unknown-tags?limit=1&first_seen_after=${encodeURIComponent(asOf)}`;
    expect((await call({ path: later })).body.total_count).to.equal(0);
    await seen('rfid', 'NEW', -60, 1);
    expect((await call({ path: later })).body.total_count).to.equal(1);
  });

  it('lists things whose tags an upgrade found on several owners, until all but one are detached', async () => {
    const owners = [
      await post('/assets', { name: 'One', tags: [{ tag_type: 'barcode', value: '012345678905' }] }),
      await post('/locations', { name: 'Two', tags: [{ tag_type: 'barcode', value: '0012345678905' }] }),
    ];
    await suite.database.rows(
      `insert into normal_key_collisions (org_id, normal_key) select org_id, normal_key from tags where value = '012345678905'`,
    );
    const things = async () => (await call({ path: '/alike-tags' })).body.data;
    const [{ tags }] = await things();
    expect(tags.map(({ id, ...tag }: { id: number }) => tag)).to.deep.equal(
      owners.map(({ body: { data } }, index) => ({
        ...{ tag_type: 'barcode', value: ['012345678905', '0012345678905'][index] },
        owner: {
          ...{ type: ['asset', 'location'][index], id: data.id },
          ...{ external_key: data.external_key, name: data.name },
        },
      })),
    );
    expect((await call({ path: '/inbox' })).body.data).to.include({ alike_tags: 1 });
    const [, { owner, id }] = tags;
    expect((await call({ method: 'DELETE', path: `/locations/${owner.id}/tags/${id}` })).status).to.equal(
      204,
    );
    expect(await things()).to.deep.equal([]);
  });

  it('finds them among thousands that were mended, before the database has statistics of them', async () => {
    const { data } = (await post('/assets', { name: 'Many', tags: [] })).body;
    await suite.database.rows(
      `insert into tags (org_id, asset_id, tag_type, value, tag_key, normal_key)
       select $1, $2, 'rfid', 'v' || n, 'v' || n, 'k' || n from generate_series(1, 20000) n`,
      [suite.orgId, data.id],
    );
    await suite.database.rows(
      `insert into normal_key_collisions (org_id, normal_key) select $1, 'k' || n from generate_series(1, 20000) n`,
      [suite.orgId],
    );
    await post('/assets', { name: 'Other', tags: [{ tag_type: 'barcode', value: 'k20000' }] });
    const found = await call({ path: '/alike-tags' });
    expect(found.status).to.equal(200);
    expect(found.body.data.map(({ tags }: { tags: object[] }) => tags.length)).to.deep.equal([2]);
  });
});
