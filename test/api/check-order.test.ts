import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';

describe('the order of checks', () => {
  const api = useApi();
  const LOCATIONS = '/api/v1/locations';
  const location = async (json: object): Promise<number> =>
    (await api.call({ method: 'POST', path: LOCATIONS, json })).body?.data.id;

  it('is the same for whatever else is wrong, and what is refused changes nothing', async () => {
    const top = await location({ external_key: 'TOP', name: 'top' });
    const below = await location({ external_key: 'BELOW', name: 'below', parent_id: top });
    const readOnly = await api.keyWith(['locations:read']);
    const rows = () => api.database.rows('select * from locations order by id');
    const before = await rows();

    /** Wrong in everything; each stage is put right in turn. */
    const fields = { external_key: 'OTHER', name: '', is_active: null, zz: 1, aa: 1 };
    let call: Call = {
      method: 'PUT',
      path: `${LOCATIONS}/0/?zz=1`,
      key: null,
      headers: { 'Content-Type': 'application/json' },
      body: 'x'.repeat(1_048_577),
    };
    const stages: [what: string, change: Partial<Call>, type: string, issues?: [string, string][]][] = [
      ['the path', {}, 'not_found'],
      ['the method', { path: `${LOCATIONS}/0?zz=1&aa=1` }, 'method_not_allowed'],
      ['the credential', { method: 'PATCH' }, 'unauthorized'],
      ['the scope', { key: readOnly }, 'forbidden'],
      ['the media type', { key: api.key }, 'unsupported_media_type'],
      [
        'the query',
        { headers: {} },
        'validation_error',
        [
          ['aa', 'unknown_field'],
          ['zz', 'unknown_field'],
        ],
      ],
      ['the id', { path: `${LOCATIONS}/0` }, 'validation_error', [['location_id', 'too_small']]],
      ['the row', { path: `${LOCATIONS}/2147483647` }, 'not_found'],
      ['the size', { path: `${LOCATIONS}/${top}` }, 'payload_too_large'],
      ['the syntax', { body: '{' }, 'bad_request'],
      [
        'the types',
        { body: JSON.stringify({ ...fields, parent_id: 2_147_483_647, description: 5 }) },
        'bad_request',
      ],
      [
        'the fields',
        { body: JSON.stringify({ ...fields, parent_id: 2_147_483_647 }) },
        'validation_error',
        [
          ['external_key', 'read_only'],
          ['name', 'too_short'],
          ['is_active', 'invalid_value'],
          ['aa', 'unknown_field'],
          ['zz', 'unknown_field'],
        ],
      ],
      [
        'the references',
        { body: JSON.stringify({ name: 'new', parent_id: below, parent_external_key: 'NOWHERE' }) },
        'validation_error',
        [['parent_external_key', 'fk_not_found']],
      ],
      ['the circle', { body: JSON.stringify({ name: 'new', parent_id: below }) }, 'conflict'],
    ];
    for (const [what, change, type, issues] of stages) {
      call = { ...call, ...change };
      const answer = await api.call(call);
      expect(answer.body?.error?.type, what).to.equal(type);
      if (issues !== undefined) {
        expectIssues(answer, issues);
      }
      expect(await rows(), what).to.deep.equal(before);
    }
    expect((await api.call({ ...call, body: '{"name":"new"}' })).status).to.equal(200);
  });

  it('has references before keys and tags that are taken, and nothing is made or counted', async () => {
    const taken = { tag_type: 'rfid', value: 'TAKEN' };
    await location({ external_key: 'DOCK', name: 'dock', tags: [taken] });
    const rows = () => api.database.rows('select * from locations order by id');
    const before = await rows();
    const create = (json: object) => api.call({ method: 'POST', path: LOCATIONS, json });
    const wrong = { external_key: 'DOCK', name: 'dock', tags: [taken], parent_id: 2_147_483_647 };
    expectIssues(await create(wrong), [['parent_id', 'fk_not_found']]);
    expectProblem(await create({ ...wrong, parent_id: null }), 'conflict');
    expectProblem(await create({ name: 'dock', tags: [taken] }), 'conflict');
    expect(await rows()).to.deep.equal(before);
    const minted = await create({ name: 'dock' });
    expect(minted.body?.data.external_key).to.equal('LOC-0001');
  });

  it('holds with more that is wrong than is told, and says how much more', async () => {
    const assets = (body: string) => api.call({ method: 'POST', path: '/api/v1/assets', body });
    const tags = await assets(`{"name":"a","tags":[${'{},'.repeat(340_000)}{}]}`);
    expectIssues(tags, [['tags', 'too_long']]);
    expect(tags.body?.error?.fields?.[0]?.params).to.deep.equal({ max_length: 10_000 });
    const keys = Array.from({ length: 100_000 }, (_, index) => `"${index}":0`);
    const unknown = await assets(`{"name":"a",${keys.join(',')}}`);
    expectProblem(unknown, 'validation_error');
    const told = unknown.body?.error?.fields?.map(({ field }) => field);
    const first = Array.from({ length: 100_000 }, (_, index) => String(index))
      .sort()
      .slice(0, 100);
    expect(told).to.deep.equal(first);
    expect(unknown.body?.error?.detail).to.match(/ \(and 99999 more validation error\(s\)\)$/);
    const unnamed = await assets(`{"name":"a","tags":[${'{},'.repeat(9_999)}{}]}`);
    expect(unnamed.body?.error?.fields).to.have.length(100);
    expect(unnamed.body?.error?.detail).to.match(/ \(and 19999 more validation error\(s\)\)$/);
  });

  it('answers a key of a mebibyte with its beginning', async () => {
    const key = `${'k'.repeat(254)}🔧${'k'.repeat(1_000_000)}`;
    const answer = await api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'a', [key]: 1 } });
    expectIssues(answer, [[`${'k'.repeat(254)}�…`, 'unknown_field']]);
  });

  it('names what is wrong first, and what is unknown in alphabetical order, however much there is', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `"${(index * 7_919) % 5_000}":0`);
    const body = `{${keys.join(',')},"is_active":null}`;
    const fields = (await api.call({ method: 'POST', path: '/api/v1/assets', body })).body?.error?.fields;
    expect(fields?.slice(0, 5).map(({ field }) => field)).to.deep.equal([
      'name',
      'is_active',
      '0',
      '1',
      '10',
    ]);
    expect(fields).to.have.length(100);
  });
});
