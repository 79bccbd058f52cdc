import { expect } from 'chai';
import { API_ROUTES } from '../../services/api/routes.ts';
import { expectProblem, useApi } from '../support/api.ts';
import { untilReadiness } from '../support/readiness.ts';

const ASSETS = '/api/v1/assets';
const LOCATIONS = '/api/v1/locations';
const TAG = { tag_type: 'rfid', value: 'TAKEN' };
const FREE = Array.from({ length: 5 }, (_, index) => ({ tag_type: 'rfid', value: `FREE-${index}` }));

describe('ids that all organizations share', () => {
  const api = useApi();
  const ids: Record<'asset' | 'location' | 'tag', number> = { asset: 0, location: 0, tag: 0 };

  before(async () => {
    const asset = await post(ASSETS, { external_key: 'TAKEN', name: 'a', tags: [TAG] });
    ids.asset = asset.body?.data.id;
    ids.tag = asset.body?.data.tags[0].id;
    ids.location = (await post(LOCATIONS, { external_key: 'TAKEN', name: 'l' })).body?.data.id;
    await post(ASSETS, { external_key: 'ASSET-0001', name: 'in the way of the first key to be minted' });
    await post(LOCATIONS, { external_key: 'LOC-0001', name: 'in the way' });
  });

  const post = (path: string, json: object) => api.call({ method: 'POST', path, json });

  const send = (file: string, query = '') => {
    const form = new FormData();
    form.set('file', new Blob([file]), 'assets.csv');
    return fetch(`${api.url}${ASSETS}/bulk${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}` },
      body: form,
    });
  };

  /** How many numbers were drawn of each sequence that can come to an end. */
  async function drawn(): Promise<Record<string, number>> {
    const rows = await api.database.rows<{ name: string; last: number }>(
      `select sequencename as name, coalesce(last_value, 0)::int as last from pg_sequences
       where data_type::text = 'integer' and sequencename <> 'placeholder_ids'
       order by 1`,
    );
    return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
  }

  async function expectDrawn(work: () => Promise<unknown>, expected: Record<string, number> = {}) {
    const before = await drawn();
    await work();
    const after = await drawn();
    const more = Object.entries(after).flatMap(([name, last]) =>
      last === before[name] ? [] : [[name, last - (before[name] ?? 0)]],
    );
    expect(Object.fromEntries(more)).to.deep.equal(expected);
  }

  const refusals: [what: string, path: string, body: object, status: number][] = [
    ['an asset whose key is taken', ASSETS, { external_key: 'TAKEN', name: 'a', tags: FREE }, 409],
    ['an asset one of whose tags is taken', ASSETS, { name: 'a', tags: [...FREE, TAG] }, 409],
    ['an asset with one tag twice', ASSETS, { name: 'a', tags: [...FREE, FREE[0]] }, 409],
    ['an asset that is not valid', ASSETS, { name: '', tags: FREE }, 400],
    ['a location whose key is taken', LOCATIONS, { external_key: 'TAKEN', name: 'l', tags: FREE }, 409],
    ['a location one of whose tags is taken', LOCATIONS, { name: 'l', tags: [...FREE, TAG] }, 409],
    ['a location without a parent', LOCATIONS, { name: 'l', parent_id: 2_147_483_647, tags: FREE }, 400],
  ];
  for (const [what, path, body, status] of refusals) {
    it(`are not drawn for ${what}`, () =>
      expectDrawn(async () => expect((await post(path, body)).status).to.equal(status)));
  }

  it('are not drawn for tags that are taken, nor for one of many who attach it at once', async () => {
    for (const path of [`${ASSETS}/${ids.asset}/tags`, `${LOCATIONS}/${ids.location}/tags`]) {
      await expectDrawn(async () => expect((await post(path, TAG)).status).to.equal(409));
    }
    const race = () =>
      Promise.all(FREE.map(() => post(`${ASSETS}/${ids.asset}/tags`, { tag_type: 'ble', value: 'RACE' })));
    await expectDrawn(race, { tags_id_seq: 1 });
  });

  it('are drawn once by many who create the same at once', async () => {
    const body = { external_key: 'RACE', name: 'a', tags: [{ tag_type: 'barcode', value: 'RACE' }] };
    const create = (path: string, json: object) => () =>
      Promise.all(Array.from({ length: 8 }, () => post(path, json)));
    await expectDrawn(create(ASSETS, body), { assets_id_seq: 1, tags_id_seq: 1 });
    await expectDrawn(create(LOCATIONS, { ...body, tags: [] }), { locations_id_seq: 1 });
    await expectDrawn(() =>
      Promise.all([
        post(`${ASSETS}/${ids.asset}/rename`, { external_key: 'RENAMED' }),
        ...Array.from({ length: 4 }, () => post(ASSETS, { name: 'a', tags: [TAG] })),
      ]),
    );
  });

  it('are drawn once for a key that is minted past others', async () => {
    await expectDrawn(() => post(ASSETS, { name: 'a' }), { assets_id_seq: 1 });
    await expectDrawn(() => post(LOCATIONS, { name: 'l' }), { locations_id_seq: 1 });
  });

  it('are not drawn by a dry run of an import, nor by one that is refused', async () => {
    const rows = Array.from(
      { length: 1_200 },
      (_, index) => `${index % 2 ? `ROW-${index}` : ''},n,rfid:ROW-${index}`,
    );
    const file = ['external_key,name,tags', ...rows].join('\n');
    await expectDrawn(async () => expect((await send(file, '?dry_run=true')).status).to.equal(200));
    for (const wrong of [
      'ROW-X,n,rfid:TAKEN',
      'ROW-X,n,rfid:ROW-7',
      'ROW-X,,',
      'ROW X,n,',
      'ROW-X,n,rfid:"',
    ]) {
      await expectDrawn(async () => expect((await send(`${file}\n${wrong}`)).status, wrong).to.equal(400));
    }
    await expectDrawn(async () => expect((await send(file)).status).to.equal(200), {
      assets_id_seq: 1_200,
      tags_id_seq: 1_200,
    });
    await expectDrawn(async () => expect((await send(file)).status).to.equal(400));
    await expectDrawn(async () => expect((await send('external_key,name\nROW-1,m')).status).to.equal(200));
  });

  it('are those of an import once it is committed: whole, positive, and of the tags too', async () => {
    const { body } = await api.call({ path: `${ASSETS}?external_key=ROW-7&external_key=ROW-9` });
    const [first, second] = body?.data ?? [];
    expect(first.id).to.be.above(0);
    expect(second.id).to.not.equal(first.id);
    expect(first.tags.map(({ value }: { value: string }) => value)).to.deep.equal(['ROW-7']);
    expect(first.tags[0].id).to.be.above(0);
    const left = await api.database.rows(
      'select id from assets where id < 0 union all select id from tags where id < 0 or asset_id < 0',
    );
    expect(left).to.deep.equal([]);
    const counted = await api.call({ path: `${ASSETS}?limit=1` });
    const [live] = await api.database.rows<{ count: number }>('select count(*)::int as count from assets');
    expect(counted.body?.total_count).to.equal(live?.count);
  });

  it('are counted for those who watch over them', async () => {
    const [{ last } = { last: 0 }] = await api.database.rows<{ last: number }>(
      `select last_value::int as last from pg_sequences where sequencename = 'assets_id_seq'`,
    );
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).to.include(`tagtrail_ids_used_ratio{table="assets"} ${last / 2_147_483_647}`);
    for (const table of ['locations', 'tags', 'organizations', 'readers', 'handhelds', 'location_settings']) {
      expect(metrics).to.include(`tagtrail_ids_used_ratio{table="${table}"} `);
    }
  });

  for (const { method, path, operationId } of API_ROUTES) {
    it(`are not drawn by ${operationId} with a body that is none, or without the scope for it`, () =>
      expectDrawn(async () => {
        const known = { asset_id: ids.asset, location_id: ids.location, tag_id: ids.tag, api_key_id: 'x' };
        const at = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof known) => String(known[name] ?? 1));
        const key = await api.keyWith([]);
        await api.call({ method, path: at, key, ...(method === 'GET' ? {} : { json: { name: 'a' } }) });
        if (method === 'POST' || method === 'PATCH') {
          await api.call({ method, path: at, body: '{"name":' });
          await api.call({ method, path: at, json: { nothing: 1 } });
        }
      }));
  }

  it('are said to be used up where they are, and other kinds of rows are created all the same', async () => {
    const name = "pg_get_serial_sequence('assets', 'id')";
    const [{ last } = { last: 1 }] = await api.database.rows<{ last: number }>(
      `select nextval(${name})::integer as last`,
    );
    await api.database.rows(`select setval(${name}, 2147483646)`);
    try {
      expect((await post(ASSETS, { name: 'the last' })).status).to.equal(201);
      for (const asset of [{ name: 'one more' }, { external_key: 'ONE-MORE', name: 'one more' }]) {
        const answer = await post(ASSETS, asset);
        const detail = 'No ids are left for new rows of this kind; nothing was changed';
        expectProblem(answer, 'internal_error', detail);
      }
      const answer = await send('name\nBox\n');
      expect([answer.status, JSON.stringify(await answer.json())].join(' ')).to.match(
        /^500 .*No ids are left/,
      );
      expect((await post(LOCATIONS, { name: 'still possible' })).status).to.equal(201);
      const ids = 'no ids are left for new rows of assets';
      await untilReadiness(api.url, { status: 200, checks: { database: 'ok', writing: 'ok', ids } });
    } finally {
      await api.database.rows(`select setval(${name}, ${last})`);
    }
  });
});
