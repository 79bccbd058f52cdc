import { expect } from 'chai';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { importFile } from '../../domain/master-data/imports/import-file.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';
import { Site } from '../support/site.ts';

for (const resource of ['assets', 'locations'] as const) {
  const noun = resource === 'assets' ? 'asset' : 'location';

  describe(`tags of ${resource}`, () => {
    const api = useApi();
    let id: number;
    const attach = (json: unknown, key?: string) =>
      api.call({
        method: 'POST',
        path: `/api/v1/${resource}/${id}/tags`,
        json,
        ...(key === undefined ? {} : { key }),
      });
    const detach = (tagId: number | string, parentId = id) =>
      api.call({ method: 'DELETE', path: `/api/v1/${resource}/${parentId}/tags/${tagId}` });
    const make = async () =>
      (await api.call({ method: 'POST', path: `/api/v1/${resource}`, json: { name: 'n' } })).body?.data.id;
    before(async () => {
      id = await make();
    });

    it('are attached, shown, and leave updated_at alone', async () => {
      const before = (await api.call({ path: `/api/v1/${resource}/${id}` })).body?.data;
      const { status, headers, body } = await attach({ tag_type: 'ble', value: 'aa:bb:cc:dd:ee:0f' });
      expect(status).to.equal(201);
      expect(headers.get('location')).to.equal(`/api/v1/${resource}/${id}/tags/${body?.data.id}`);
      expect(body?.data).to.deep.equal({ id: body?.data.id, tag_type: 'ble', value: 'aa:bb:cc:dd:ee:0f' });
      const after = (await api.call({ path: `/api/v1/${resource}/${id}` })).body?.data;
      expect(after).to.deep.equal({ ...before, tags: [body?.data] });
      expect(
        await api.database.rows(`select org_id, tag_key, ${noun}_id as parent from tags where id = $1`, [
          body?.data.id,
        ]),
      ).to.deep.equal([{ org_id: api.orgId, tag_key: 'AABBCCDDEE0F', parent: id }]);
    });

    it('say what their values name, whatever the notation, and take it back in a PATCH', async () => {
      const item = `/api/v1/${resource}/${await make()}`;
      const key = { gs1: { '01': '80614141123458', '21': '6/7' } };
      const digital_link = 'https://id.gs1.org/01/80614141123458/21/6%2F7';
      const uri = 'urn:epc:id:sgtin:0614141.812345.6%2F7';
      const values: [string, string, object][] = [
        ['barcode', '(01)80614141123458(21)6/7(10)L1', { ...key, digital_link, epc_uri: null }],
        ['barcode', uri, { ...key, digital_link, epc_uri: uri }],
        [
          'rfid',
          '3500E86F8000A9E000000586',
          {
            ...{ gs1: null, digital_link: null, epc_uri: 'urn:epc:id:gid:952056.2718.1414' },
          },
        ],
        ['rfid', 'E28011600000020912345678', {}],
      ];
      const tags: object[] = [];
      for (const [tag_type, value, named] of values) {
        const { body } = await api.call({ method: 'POST', path: `${item}/tags`, json: { tag_type, value } });
        tags.push({ id: body?.data.id, tag_type, value, ...named });
        expect(body?.data).to.deep.equal(tags.at(-1));
      }
      expect((await api.call({ path: item })).body?.data.tags).to.deep.equal(tags);
      expect((await api.call({ method: 'PATCH', path: item, json: { tags } })).status).to.equal(200);
      for (const tag of tags as { id: number }[]) {
        await api.call({ method: 'DELETE', path: `${item}/tags/${tag.id}` });
      }
    });

    it('are unique by type and value while they are live', async () => {
      const tag = { tag_type: 'rfid', value: 'DUP' };
      const first = (await attach(tag)).body?.data.id;
      expectProblem(await attach(tag), 'conflict', 'tag rfid:DUP already exists');
      expect((await attach({ tag_type: 'barcode', value: 'DUP' })).status).to.equal(201);
      expect((await detach(first)).status).to.equal(204);
      expect((await attach(tag)).status).to.equal(201);
    });

    it('are attached once by concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => attach({ tag_type: 'rfid', value: 'RACE' })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(7).fill(409)]);
    });

    for (const [what, json, issues] of [
      ['no type', { value: 'a' }, [['tag_type', 'required']]],
      ['a null type', { tag_type: null, value: 'a' }, [['tag_type', 'required']]],
      ['an unknown type', { tag_type: 'nfc', value: 'a' }, [['tag_type', 'invalid_value']]],
      ['no value', { tag_type: 'rfid' }, [['value', 'required']]],
      ['a null value', { tag_type: 'rfid', value: null }, [['value', 'invalid_value']]],
      ['an empty value', { tag_type: 'rfid', value: '' }, [['value', 'too_short']]],
      ['a long value', { tag_type: 'rfid', value: 'x'.repeat(256) }, [['value', 'too_long']]],
      ['DEL', { tag_type: 'rfid', value: 'a\u007f' }, [['value', 'invalid_value']]],
      [
        'nothing but a surplus key',
        { x: 1 },
        [
          ['tag_type', 'required'],
          ['value', 'required'],
          ['x', 'unknown_field'],
        ],
      ],
    ] as const) {
      it(`are refused with ${what}`, async () => {
        expectIssues(await attach(json), issues);
      });
    }

    it('are detached once, and only from what they are attached to', async () => {
      const tagId = (await attach({ tag_type: 'rfid', value: 'once' })).body?.data.id;
      const missing = `Tag not found on this ${noun}`;
      expectProblem(await detach(tagId, await make()), 'not_found', missing);
      expect((await detach(tagId)).status).to.equal(204);
      expectProblem(await detach(tagId), 'not_found', missing);
      expectIssues(await detach('x'), [['tag_id', 'invalid_value']]);
    });

    it(`need the ${resource}:write scope and a parent of the organization`, async () => {
      const other = await api.organization('Other');
      const tag = { tag_type: 'rfid', value: 'theirs' };
      expectProblem(await attach(tag, other.key), 'not_found');
      expectProblem(await attach(tag, await api.keyWith([`${resource}:read`])), 'forbidden');
      expect(await api.database.rows(`select from tags where value = 'theirs'`)).to.deep.equal([]);
    });

    it('are ten thousand at most, attached one by one or by an import', async () => {
      const tags = Array.from({ length: 10_000 }, (_, at) => ({ tag_type: 'rfid', value: `MANY-${at}` }));
      const path = `/api/v1/${resource}`;
      const made = await api.call({ method: 'POST', path, json: { name: 'n', external_key: 'MANY', tags } });
      const { id: parentId, tags: attached } = made.body?.data ?? {};
      const more = (value: string) =>
        api.call({ method: 'POST', path: `${path}/${parentId}/tags`, json: { tag_type: 'rfid', value } });
      const door = openOrganizationDoor(api.database.url, { max: 2 });
      api.database.beforeDrop(() => door.end());
      const importing = (value: string) =>
        importFile(
          door.of(api.orgId),
          TEST_ACTOR,
          noun,
          async function* () {
            yield Buffer.from(`external_key,name,tags\nMANY,n,rfid:${value}\n`);
          },
          { isDryRun: false },
        );
      const why = 'would have more than 10,000 tags, the maximum; detach some first';
      expectProblem(await more('ONE-MORE'), 'conflict', `The ${noun} ${why}`);
      const refused = await importing('ONE-MORE');
      expect(JSON.stringify(refused)).to.contain(why);
      await detach(attached[0].id, parentId);
      await importing('ONE-MORE');
      await detach(attached[1].id, parentId);
      expect((await more('TWO-MORE')).status).to.equal(201);
      expectProblem(await more('THREE-MORE'), 'conflict');
    });

    it('are not attached to a deleted parent', async () => {
      await api.database.rows(`update ${resource} set deleted_at = now() where id = $1`, [id]);
      expectProblem(await attach({ tag_type: 'rfid', value: 'late' }), 'not_found');
    });
  });
}

describe('the resolver of Digital Links', () => {
  const api = useApi({ CONSOLE_URL: 'https://tracking.example.com' });
  const LINK = '/id/01/80614141123458/21/6%2F7';
  const get = (path: string, headers: Record<string, string>) =>
    fetch(api.url + path, { headers, redirect: 'manual' });
  const asked = async (path: string, key: string) => {
    const response = await get(path, { Authorization: `Bearer ${key}` });
    return {
      status: response.status,
      type: response.headers.get('Content-Type'),
      body: JSON.parse(await response.text()),
    };
  };
  let id: number;

  before(async () => {
    const site = Site.of(api.database, api.orgId);
    id = await site.asset('CRATE-1', '(01)80614141123458(21)6/7', 'barcode');
    await site.asset('DRUM', '3074257BF7194E4000001A85');
    await site.asset('PALLET', '(00)106141412345678908', 'barcode');
  });

  it('tells programs with a key which asset it is, as linked data, by any notation', async () => {
    const { status, type, body } = await asked(LINK, api.key);
    expect([status, type]).to.deep.equal([200, 'application/ld+json']);
    expect(body).to.deep.equal({
      '@context': { '@vocab': 'https://schema.org/' },
      '@id': 'https://id.gs1.org/01/80614141123458/21/6%2F7',
      '@type': 'IndividualProduct',
      ...{ identifier: 'CRATE-1', name: 'CRATE-1' },
      sameAs: { '@id': `/api/v1/assets/${id}` },
      url: { '@id': `https://tracking.example.com/#/asset/${id}` },
    });
    for (const [path, found] of [
      ['/id/gtin/80614141123458/lot/A/ser/6%2F7', 'CRATE-1'],
      ['/id/01/80614141123458/21/6789', 'DRUM'],
      ['/id/00/106141412345678908', 'PALLET'],
    ] as const) {
      expect((await asked(path, api.key)).body.identifier, path).to.equal(found);
    }
  });

  it('says the same of what is unknown, of what others have, and of what names nothing', async () => {
    const other = await api.organization('Other');
    const answers = [
      await asked(LINK, other.key),
      await asked('/id/01/80614141123458/21/NONE', api.key),
      await asked('/id/01/80614141123459/21/6', api.key),
      await asked('/id/a/b', api.key),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.type, body.error.detail]).to.deep.equal([
        404,
        'not_found',
        'Asset not found',
      ]);
    }
    const blind = await api.keyWith(['locations:read']);
    expect((await asked(LINK, blind)).status).to.equal(403);
  });

  it('names both assets if tags of two name the same', async () => {
    await Site.of(api.database, api.orgId).asset(
      'TWIN',
      'https://example.com/00/106141412345678908',
      'barcode',
    );
    const { status, body } = await asked('/id/00/106141412345678908', api.key);
    expect(status).to.equal(409);
    expect(body.error.detail).to.equal('Tags of PALLET and TWIN name the same');
  });

  it('sends whoever has a browser to the console, whatever there is, and strangers without one away', async () => {
    for (const path of [LINK, '/id/01/80614141123458/21/NONE']) {
      const person = await get(path, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expect(person.status).to.equal(302);
      const link = encodeURIComponent(`https://id.gs1.org${path.slice(3)}`);
      expect(person.headers.get('Location')).to.equal(
        `https://tracking.example.com/#/find?q=${link}&open=true`,
      );
      expect((await get(path, {})).status).to.equal(401);
    }
  });
});
