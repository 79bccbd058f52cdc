import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

const PATH = '/api/v1/assets';

describe('GET /assets', () => {
  const api = useApi();
  const keysOf = async (query: string) => {
    const { status, body } = await api.call({ path: `${PATH}?${query}` });
    expect(status).to.equal(200);
    return body?.data.map((asset: { external_key: string }) => asset.external_key);
  };
  let locationId: number;
  let goneId: number;

  before(async () => {
    const locate = async (external_key: string) =>
      (
        await api.call({
          method: 'POST',
          path: '/api/v1/locations',
          json: { name: external_key, external_key },
        })
      ).body?.data.id;
    locationId = await locate('HALL');
    goneId = await locate('OLD-HALL');
    for (const json of [
      { external_key: 'a', name: 'Zebra', description: 'ΟΔΟΣ 100%_x\\y' },
      { external_key: 'B', name: 'Ärger', tags: [{ tag_type: 'barcode', value: 'Wäre-42' }] },
      { external_key: 'c', name: 'apple', is_active: false },
      { external_key: 'expired', name: 'Expired', valid_to: '2020-01-01T00:00:00Z' },
      { external_key: 'future', name: 'Future', valid_from: '2999-01-01T00:00:00Z' },
      { external_key: 'deleted', name: 'Deleted' },
    ]) {
      await api.call({ method: 'POST', path: PATH, json });
    }
    await api.database.rows(`update assets set deleted_at = now() where external_key = 'deleted'`);
    await api.database.rows(`update locations set deleted_at = now() where id = $1`, [goneId]);
    await api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select org_id, id, case external_key when 'a' then $1::integer else $2 end, now(), now()
       from assets where external_key in ('a', 'deleted')`,
      [locationId, goneId],
    );
    const other = await api.organization('Other');
    await api.call({
      method: 'POST',
      path: PATH,
      json: { name: 'Theirs', external_key: 'a' },
      key: other.key,
    });
  });

  it("lists the organization's live assets in effect, ordered bytewise by key", async () => {
    const { body } = await api.call({ path: PATH });
    expect(body).to.include({ limit: 50, offset: 0, total_count: 3 });
    expect(await keysOf('')).to.deep.equal(['B', 'a', 'c']);
  });

  it('adds deleted assets on request, with the key of a location that was deleted too', async () => {
    const { body } = await api.call({ path: `${PATH}?include_deleted=true&external_key=deleted` });
    expect(body?.data[0]).to.include({ location_id: goneId, location_external_key: 'OLD-HALL' });
  });

  it('filters by any of several keys, by location, by activity', async () => {
    expect(await keysOf('external_key=a&external_key=c&external_key=none&external_key=a')).to.deep.equal([
      'a',
      'c',
    ]);
    expect(await keysOf(`location_id=${locationId}`)).to.deep.equal(['a']);
    expect(await keysOf('location_external_key=HALL&location_external_key=NOWHERE')).to.deep.equal(['a']);
    expect(await keysOf('location_external_key=OLD-HALL&include_deleted=true')).to.deep.equal(['deleted']);
    expect(await keysOf('is_active=false')).to.deep.equal(['c']);
    expect(await keysOf('is_active=true')).to.deep.equal(['B', 'a']);
  });

  it('searches name, key, description and tags, letter case aside, and takes wildcards literally', async () => {
    for (const [q, keys] of [
      ['ÄRG', ['B']],
      ['οδοσ', ['a']],
      ['wÄRE', ['B']],
      ['APPLE', ['c']],
      ['100%_X\\Y', ['a']],
      ['%', ['a']],
      ['_', ['a']],
      ['\\', ['a']],
      ['no such thing', []],
      ['', ['B', 'a', 'c']],
    ] as const) {
      expect(await keysOf(`q=${encodeURIComponent(q)}`), q).to.deep.equal(keys);
    }
  });

  it('sorts by several fields, each in its direction', async () => {
    expect(await keysOf('sort=name')).to.deep.equal(['a', 'c', 'B']);
    expect(await keysOf('sort=-name')).to.deep.equal(['B', 'c', 'a']);
    expect(await keysOf('sort=-created_at,external_key')).to.deep.equal(['c', 'B', 'a']);
    expect(await keysOf('sort=')).to.deep.equal(['B', 'a', 'c']);
  });

  it('pages without overlap and counts all, also beyond the last page', async () => {
    expect(await keysOf('limit=2')).to.deep.equal(['B', 'a']);
    expect(await keysOf('limit=2&offset=2')).to.deep.equal(['c']);
    const { body } = await api.call({ path: `${PATH}?limit=2&offset=2147483647` });
    expect(body).to.deep.equal({ data: [], limit: 2, offset: 2147483647, total_count: 3 });
  });

  for (const [query, issues] of [
    ['limit=0', [['limit', 'too_small']]],
    ['limit=201', [['limit', 'too_large']]],
    ['limit=', [['limit', 'invalid_value']]],
    [
      'limit=ten&offset=-1',
      [
        ['limit', 'invalid_value'],
        ['offset', 'too_small'],
      ],
    ],
    ['offset=2147483648', [['offset', 'too_large']]],
    ['limit=1&limit=2', [['limit', 'invalid_value']]],
    ['sort=colour', [['sort', 'invalid_value']]],
    ['sort=name,,', [['sort', 'invalid_value']]],
    ['sort=metadata.', [['sort', 'invalid_value']]],
    ['sort=metadata', [['sort', 'invalid_value']]],
    ['sort=namemetadata.kg', [['sort', 'invalid_value']]],
    ['sort=name,-metadata.%00', [['sort', 'invalid_value']]],
    ['external_key=a_b', [['external_key', 'invalid_value']]],
    ['external_key=', [['external_key', 'invalid_value']]],
    ['location_id=0', [['location_id', 'too_small']]],
    ['location_id=99999999999', [['location_id', 'too_large']]],
    ['is_active=yes', [['is_active', 'invalid_value']]],
    ['include_deleted=TRUE', [['include_deleted', 'invalid_value']]],
    ['q=%00', [['q', 'invalid_value']]],
    [
      'z=1&limit=0&a=1&a=2',
      [
        ['limit', 'too_small'],
        ['a', 'unknown_field'],
        ['z', 'unknown_field'],
      ],
    ],
    [
      'location_id=1&location_external_key=A',
      [
        ['location_id', 'ambiguous_fields'],
        ['location_external_key', 'ambiguous_fields'],
      ],
    ],
  ] as const) {
    it(`refuses ?${query}`, async () => {
      expectIssues(await api.call({ path: `${PATH}?${query}` }), issues);
    });
  }

  it('names the bound and the unknown field in its messages', async () => {
    const detail = async (query: string) =>
      (await api.call({ path: `${PATH}?${query}` })).body?.error?.detail;
    expect(await detail('limit=201')).to.equal('limit must be <= 200');
    expect(await detail('sort=-colour')).to.equal('unknown sort field: colour');
    expect(await detail('foo=1')).to.equal('unknown parameter: foo');
  });

  it('needs assets:read, which assets:write does not imply', async () => {
    const key = await api.keyWith(['assets:write']);
    expectProblem(await api.call({ path: PATH, key }), 'forbidden', 'Missing required scope: assets:read');
  });
});

describe('the filter of assets by metadata', () => {
  const api = useApi();
  let key: string;
  let theirs: string;
  const call = (query: string, by = key) => api.call({ path: `${PATH}?${query}`, key: by });
  const keysOf = async (query: string, by = key) => {
    const { body } = await call(query, by);
    const keys: string[] = body?.data.map((row: { external_key: string }) => row.external_key);
    expect(body?.total_count).to.equal(keys.length);
    return keys;
  };

  before(async () => {
    ({ key } = await api.organization());
    ({ key: theirs } = await api.organization());
    for (const [external_key, metadata, more, by] of [
      ['ALL', '{"owner":"Blue Line","n":1.10,"ok":true,"no":null,"in":{"a": 1},"__proto__":"x"}', '', key],
      ['TWICE', String.raw`{"owner":"Red","owner":"Blue Line","é=&.":"a b\n\"c\"\ud83d\ude00"}`, '', key],
      ['NEAR', '{"owner":"blue line","n":1.1,"owner ":"Blue Line","ow":"nerBlue Line"}', '', key],
      ['TEXTS', '{"n":"1.10","ok":"true","in":{"owner":"Blue Line"}}', '', key],
      ['LATE', '{"owner":"Blue Line"}', ',"valid_from":"2999-01-01T00:00:00Z"', key],
      ['IDLE', '{"owner":"Blue Line"}', ',"is_active":false', key],
      ['ALL', '{"owner":"Blue Line","n":2}', '', theirs],
    ] as const) {
      const json = `{"name":"Crate ${external_key}","external_key":"${external_key}","metadata":${metadata}${more}}`;
      const headers = { 'Content-Type': 'application/json' };
      const { status, text } = await api.call({ method: 'POST', path: PATH, body: json, headers, key: by });
      expect(status, text).to.equal(201);
    }
  });

  for (const [query, keys] of [
    ['metadata.owner=Blue+Line', ['ALL', 'IDLE', 'TWICE']],
    ['metadata.owner=Blue%20Line&include_not_in_effect=true', ['ALL', 'IDLE', 'LATE', 'TWICE']],
    ['metadata.owner=Blue+Line&is_active=false', ['IDLE']],
    ['metadata.owner=Blue+Line&external_key=TWICE&external_key=NEAR', ['TWICE']],
    ['metadata.owner=Blue+Line&q=twice', ['TWICE']],
    ['metadata.owner=Blue+Line&sort=-external_key', ['TWICE', 'IDLE', 'ALL']],
    ['metadata.owner=Blue+Line&after=0', ['ALL', 'TWICE', 'IDLE']],
    ['metadata.owner=Red', []],
    ['metadata.owner=', []],
    ['metadata.n=1.10', ['ALL', 'TEXTS']],
    ['metadata.n=1.1', ['NEAR']],
    ['metadata.ok=true&metadata.n=1.10', ['ALL', 'TEXTS']],
    ['metadata.ok=true&metadata.n=1.10&metadata.owner=Blue+Line', ['ALL']],
    ['metadata.no=null', ['ALL']],
    ['metadata.in=%7B%22a%22:%201%7D', ['ALL']],
    ['metadata.__proto__=x', ['ALL']],
    [`metadata.${encodeURIComponent('é=&.')}=${encodeURIComponent('a b\n"c"😀')}`, ['TWICE']],
  ] as const) {
    it(`finds texts as they are, anything else by its JSON: ${query}`, async () => {
      expect(await keysOf(query)).to.deep.equal(keys);
    });
  }

  describe('sorted by a field', () => {
    let sorter: string;
    before(async () => {
      ({ key: sorter } = await api.organization());
      for (const [external_key, metadata] of [
        ['NINE', '{"kg":9,"a,b":"z"}'],
        ['TEN', '{"kg":"10"}'],
        ['LESS', '{"kg":-1.5,"a,b":"y"}'],
        ['WORD', '{"kg":"light"}'],
        ['LAST', '{"kg":"no","kg":"a lot"}'],
        ['HUGE', `{"kg":1e999999,"long":"${'x'.repeat(300_000)}"}`],
        ['NULL', '{"kg":null}'],
        ['NONE', '{}'],
      ] as const) {
        const json = `{"name":"Same","external_key":"${external_key}","metadata":${metadata}}`;
        const headers = { 'Content-Type': 'application/json' };
        const { status, text } = await api.call({
          method: 'POST',
          path: PATH,
          body: json,
          headers,
          key: sorter,
        });
        expect(status, text).to.equal(201);
      }
    });

    for (const [query, keys] of [
      ['sort=metadata.kg', ['LESS', 'NINE', 'TEN', 'HUGE', 'LAST', 'WORD', 'NULL', 'NONE']],
      ['sort=-metadata.kg', ['TEN', 'NINE', 'LESS', 'WORD', 'LAST', 'HUGE', 'NULL', 'NONE']],
      ['sort=metadata.kg&limit=3&offset=2', ['TEN', 'HUGE', 'LAST']],
      ['sort=name,-metadata.a,b&limit=2', ['NINE', 'LESS']],
      ['sort=external_key,metadata.kg&limit=2', ['HUGE', 'LAST']],
      ['sort=-metadata.kg&external_key=NINE&external_key=TEN', ['TEN', 'NINE']],
      ['sort=-metadata.kg&q=same&limit=3', ['TEN', 'NINE', 'LESS']],
      ['sort=-metadata.a,b&metadata.kg=9&include_deleted=true', ['NINE']],
      ['sort=metadata.none&limit=2&is_active=true', ['NINE', 'TEN']],
    ] as const) {
      it(`has numbers by size, then other texts, then those without it: ${query}`, async () => {
        const { body, text } = await api.call({ path: `${PATH}?${query}`, key: sorter });
        const found = body?.data?.map((asset: { external_key: string }) => asset.external_key);
        expect(found, text).to.deep.equal(keys);
      });
    }
  });

  it("finds nothing of another organization's", async () => {
    expect(await keysOf('metadata.owner=Blue+Line', theirs)).to.deep.equal(['ALL']);
    expect(await keysOf('metadata.n=2')).to.deep.equal([]);
  });

  it('follows what is changed', async () => {
    const json = { name: 'Crate', external_key: 'MOVED', metadata: { owner: 'Nobody' } };
    const { body } = await api.call({ method: 'POST', path: PATH, json, key });
    const change = async (patch: object) =>
      api.call({ method: 'PATCH', path: `${PATH}/${body?.data.id}`, json: patch, key });
    expect(await keysOf('metadata.owner=Nobody')).to.deep.equal(['MOVED']);
    await change({ metadata: { owner: 'Somebody' } });
    expect(await keysOf('metadata.owner=Nobody')).to.deep.equal([]);
    expect(await keysOf('metadata.owner=Somebody')).to.deep.equal(['MOVED']);
    await api.call({ method: 'DELETE', path: `${PATH}/${body?.data.id}`, key });
    expect(await keysOf('metadata.owner=Somebody')).to.deep.equal([]);
    expect(await keysOf('metadata.owner=Somebody&include_deleted=true')).to.deep.equal(['MOVED']);
  });

  it('finds the first 500 fields of a megabyte of them', async () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, index]));
    const json = { name: 'Much', external_key: 'MUCH', metadata: fields };
    expect((await api.call({ method: 'POST', path: PATH, json, key })).status).to.equal(201);
    expect(await keysOf('metadata.f499=499')).to.deep.equal(['MUCH']);
    expect(await keysOf('metadata.f500=500')).to.deep.equal([]);
  });

  it('says what is wrong with a name', async () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, index) => `metadata.${index}=1`).join('&');
    expect((await call(named(5))).status).to.equal(200);
    for (const [query, field, code, message] of [
      ['metadata.=1', 'metadata.', 'invalid_value', 'metadata. must have a name behind the dot'],
      ['metadata.a=1&metadata.a=1', 'metadata.a', 'invalid_value', 'metadata.a must be given only once'],
      ['metadata.a=%00', 'metadata.a', 'invalid_value', 'metadata.a must not contain the character U+0000'],
      ['metadata.a=%ff', 'metadata.a', 'invalid_value', 'metadata.a must be percent-encoded UTF-8'],
      [named(6), 'metadata', 'too_long', 'metadata must have at most 5 items'],
      ['metadata=1', 'metadata', 'unknown_field', 'unknown parameter: metadata'],
      ['is_active.a=1', 'is_active.a', 'unknown_field', 'unknown parameter: is_active.a'],
    ] as const) {
      const { status, body } = await call(query);
      expect(status, query).to.equal(400);
      expect(body?.error?.fields?.map((each) => [each.field, each.code, each.message])).to.deep.equal([
        [field, code, message],
      ]);
    }
    expect((await api.call({ path: `/api/v1/locations?metadata.a=1`, key })).status).to.equal(400);
  });
});

describe('the filters of assets by where they are and when they were seen', () => {
  const api = useApi();
  let site: Site;
  let key: string;
  const keysOf = async (query: string) => {
    const { status, body, text } = await api.call({ path: `${PATH}?${query}`, key });
    expect(status, text).to.equal(200);
    const keys: string[] = body?.data.map((row: { external_key: string }) => row.external_key);
    expect(body?.total_count).to.equal(keys.length);
    return keys;
  };

  before(async () => {
    const organization = await api.organization();
    ({ key } = organization);
    site = Site.of(api.database, organization.orgId);
    const hall = await site.location('HALL');
    const dock = await site.location('DOCK', hall);
    const bay = await site.location('BAY', dock);
    const yard = await site.location('YARD');
    const readerId = await site.reader('gate', [hall]);
    for (const [name, locationId, hours] of [
      ['A', hall, 30],
      ['B', bay, 20],
      ['C', dock, 10],
      ['D', yard, 1],
      ['E', yard, 1],
    ] as const) {
      const value = `E280000000000000000000${name}${name}`;
      await site.asset(name, value);
      const at = (Date.now() - hours * 3_600_000) * 1_000;
      await record(api.database, [aRead({ orgId: site.orgId, readerId, value, locationId, at })]);
    }
    await site.asset('NEVER', 'E28000000000000000000099');
    await api.database.rows(
      `update assets set metadata = '{"owner":"Blue Line"}' where org_id = $1 and external_key in ('B', 'D', 'NEVER')`,
      [site.orgId],
    );
    await api.database.rows(`update assets set deleted_at = now() where org_id = $1 and external_key = 'E'`, [
      site.orgId,
    ]);
  });

  for (const [query, keys] of [
    ['location_external_key=HALL', ['A']],
    ['location_external_key=HALL&include_descendants=true', ['A', 'B', 'C']],
    ['location_external_key=DOCK&location_external_key=YARD&include_descendants=true', ['B', 'C', 'D']],
    ['include_descendants=true', ['A', 'B', 'C', 'D', 'NEVER']],
    ['seen_within_seconds=79200', ['B', 'C', 'D']],
    ['unseen_for_seconds=79200', ['A', 'NEVER']],
    ['seen_within_seconds=79200&unseen_for_seconds=7200&metadata.owner=Blue+Line', ['B']],
    ['state=never_seen', ['NEVER']],
    ['state=present', ['A', 'B', 'C', 'D']],
    ['state=present&state=never_seen&metadata.owner=Blue+Line&sort=-external_key', ['NEVER', 'D', 'B']],
    ['state=present&location_external_key=HALL&include_descendants=true&q=b', ['B']],
    ['state=present&include_deleted=true', ['A', 'B', 'C', 'D']],
    ['state=overdue', []],
    ['state=present&after=0', ['A', 'B', 'C', 'D']],
  ] as const) {
    it(`find ${keys.join(', ') || 'nothing'}: ${query}`, async () => {
      expect(await keysOf(query)).to.deep.equal(keys);
    });
  }

  it('find locations below by their ids, too', async () => {
    const { body } = await api.call({ path: '/api/v1/locations?external_key=DOCK', key });
    expect(await keysOf(`location_id=${body?.data[0].id}&include_descendants=true`)).to.deep.equal([
      'B',
      'C',
    ]);
  });

  it('need tracking:read where they tell more than where an asset is', async () => {
    const some = await api.keyWith(['assets:read'], { orgId: site.orgId });
    for (const query of ['state=present', 'seen_within_seconds=1', 'unseen_for_seconds=1']) {
      const { status, body } = await api.call({ path: `${PATH}?${query}`, key: some });
      expect(status).to.equal(403);
      expect(body?.error?.detail).to.equal('Missing required scope: tracking:read');
    }
    const at = 'location_external_key=HALL&include_descendants=true';
    expect((await api.call({ path: `${PATH}?${at}`, key: some })).status).to.equal(200);
  });
});
