import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { expectIssues, expectProblem, useApi } from '../../support/api.ts';
import type { Answer } from '../../support/declared-answer.ts';

type Item = Record<string, unknown>;

describe('a batch', () => {
  const api = useApi();
  const post = (noun: string, json: object, key = api.key): Promise<Answer> =>
    api.call({ method: 'POST', path: `/api/v1/${noun}/batch`, key, json });
  /** Items that the description does not allow are answered with 200. */
  const postFaulty = (items: readonly object[]): Promise<Answer> =>
    api.call({ method: 'POST', path: '/api/v1/assets/batch', body: JSON.stringify({ items }) });
  const list = async (noun: string, ...keys: string[]) => {
    const query = keys.map((key) => `external_key=${key}`).join('&');
    const { body } = await api.call({ path: `/api/v1/${noun}?include_not_in_effect=true&${query}` });
    return body?.data as Item[];
  };
  const results = ({ body, text }: Answer): string[] => {
    expect(body, text).to.have.property('data');
    return body?.data.map(({ result, errors }: { result: string; errors: { message: string }[] }) =>
      [result, ...errors.map(({ message }) => message)].join(': '),
    );
  };
  const rfid = (value: string) => ({ tag_type: 'rfid', value });

  it('creates, changes and leaves alone by key, with a result for each item in order', async () => {
    await post('assets', { items: [{ external_key: 'B-1', name: 'One', description: 'x' }] });
    const items = [
      { external_key: 'B-2', name: 'Two', metadata: { n: 1.5 }, tags: [rfid('B2'), rfid('B3')] },
      { external_key: 'B-1', description: null, tags: [rfid('B1')] },
      { external_key: 'B-3', name: 'Three', is_active: false, valid_to: '2020-01-01T00:00:00Z' },
    ];
    const { body } = await post('assets', { items });
    const stored = await list('assets', 'B-1', 'B-2', 'B-3');
    expect(body?.data).to.deep.equal(
      [1, 0, 2].map((at, index) => ({
        external_key: stored[at]?.['external_key'],
        id: stored[at]?.['id'],
        result: index === 1 ? 'updated' : 'created',
        errors: [],
      })),
    );
    expect(stored.map(({ description, is_active }) => [description, is_active])).to.deep.equal([
      [null, true],
      [null, true],
      [null, false],
    ]);
    expect(stored.map(({ tags }) => (tags as Item[]).map(({ value }) => value))).to.deep.equal([
      ['B1'],
      ['B2', 'B3'],
      [],
    ]);
    expect(stored[1]?.['metadata']).to.deep.equal({ n: 1.5 });
    expect(results(await post('assets', { items }))).to.deep.equal(Array(3).fill('unchanged'));
    expect(await list('assets', 'B-1', 'B-2', 'B-3')).to.deep.equal(stored);
  });

  it('places locations below others of the batch, moves them, and makes them roots', async () => {
    const items = [
      { external_key: 'DOCK', name: 'Dock', parent_external_key: 'HALL' },
      { external_key: 'HALL', name: 'Hall', parent_external_key: 'SITE' },
      { external_key: 'SITE', name: 'Site' },
    ];
    expect(results(await post('locations', { items }))).to.deep.equal(Array(3).fill('created'));
    const parents = async () =>
      (await list('locations', 'DOCK', 'HALL', 'SITE')).map((each) => each['parent_external_key']);
    expect(await parents()).to.deep.equal(['HALL', 'SITE', null]);
    const turned = [
      { external_key: 'SITE', parent_external_key: 'DOCK' },
      { external_key: 'HALL', parent_external_key: null },
    ];
    expect(results(await post('locations', { items: turned }))).to.deep.equal(['updated', 'updated']);
    expect(await parents()).to.deep.equal(['HALL', null, 'DOCK']);
  });

  const FAULTY = [
    { external_key: 'F-1', name: 'Fine' },
    { external_key: 'F-2' },
    { external_key: 'F-3', name: '', colour: 'blue', tags: [{ tag_type: 'nfc', value: '' }] },
    { external_key: 'F-1', name: 'Again' },
    { external_key: 'a key', name: 'x', location_id: 1 },
    { name: 'x', description: 'y', is_active: null },
    { external_key: 'F-4', name: 'Taken', tags: [rfid('TAKEN')] },
  ];
  const REFUSED = [
    [1, 'name', 'required', 'name is required'],
    [2, 'name', 'too_short', 'name must be at least 1 character'],
    [2, 'tags[0].tag_type', 'invalid_value', 'tags[0].tag_type must be one of: rfid, ble, barcode'],
    [2, 'tags[0].value', 'too_short', 'tags[0].value must be at least 1 character'],
    [2, 'colour', 'unknown_field', 'unknown field "colour" in request body'],
    [3, 'external_key', 'invalid_value', 'external_key F-1 is that of items[0] already'],
    [4, 'external_key', 'invalid_value', 'external_key must match ^[A-Za-z0-9-]+$'],
    [
      4,
      'location_id',
      'read_only',
      'asset location is collected through scan event ingestion (fixed-reader MQTT pipeline or handheld UI submission) and is not directly settable through the public API',
    ],
    [5, 'external_key', 'required', 'external_key is required'],
    [
      5,
      'is_active',
      'invalid_value',
      'is_active cannot be null; omit the field to leave unchanged, or provide a value',
    ],
    [6, 'tags', 'invalid_value', 'tags has the tag rfid:TAKEN, which is attached elsewhere'],
  ] as const;

  it('refuses items with the messages of single creates, and writes the others', async () => {
    await post('assets', { items: [{ external_key: 'TAKER', name: 'Taker', tags: [rfid('TAKEN')] }] });
    const { body } = await postFaulty(FAULTY);
    const refused = body?.data.flatMap(({ errors }: { errors: Item[] }, index: number) =>
      errors.map(({ field, code, message }) => [index, field, code, message]),
    );
    expect(refused).to.deep.equal(REFUSED);
    expect(body?.data.map((each: Item) => each['external_key'])).to.deep.equal([
      ...['F-1', 'F-2', 'F-3', 'F-1', null, null, 'F-4'],
    ]);
    expect(await list('assets', 'F-1', 'F-2', 'F-3', 'F-4')).to.have.length(1);
  });

  it('writes nothing if one item is refused, if asked for, and names it', async () => {
    const send = (items: object[]) => post('assets', { items, all_or_nothing: true });
    const alone = REFUSED.filter(([index]) => index !== 1 && index !== 6);
    expectIssues(
      await send(FAULTY),
      alone.map(([index, field, code]) => [`items[${index}].${field}`, code]),
    );
    const { body } = await send([{ external_key: 'A-1', name: 'x' }, { external_key: 'A-2' }]);
    expect(body?.error?.detail).to.equal('items[1]: name is required');
    expect(await list('assets', 'A-1')).to.deep.equal([]);
    expect(results(await send([{ external_key: 'A-1', name: 'x' }]))).to.deep.equal(['created']);
  });

  it('refuses all that is below a refused item, and breaks cycles', async () => {
    const below = Array.from({ length: 100 }, (_, depth) => ({
      external_key: `D-${depth}`,
      name: 'Deep',
      parent_external_key: depth === 0 ? 'NOWHERE' : `D-${depth - 1}`,
    }));
    const items = [
      ...below,
      { external_key: 'C-1', name: 'x', parent_external_key: 'C-2' },
      { external_key: 'C-2', name: 'x', parent_external_key: 'C-1' },
      { external_key: 'C-3', name: 'x' },
    ];
    expect(results(await post('locations', { items })).slice(-4)).to.deep.equal([
      'refused: parent_external_key D-98 not found',
      'refused: parent_external_key C-2 would create a cycle: C-1 (items[100]) in C-2 (items[101]) in C-1',
      'refused: parent_external_key C-1 not found',
      'created',
    ]);
  });

  it('tells what it would do, if asked for, and changes nothing', async () => {
    const items = [{ external_key: 'DRY', name: 'x' }, { external_key: 'DRY-2' }];
    const { body, ...answer } = await post('assets', { items, dry_run: true });
    expect(results({ body, ...answer })).to.deep.equal(['created', 'refused: name is required']);
    expect(body?.data.map((each: Item) => each['id'])).to.deep.equal([null, null]);
    expect(await list('assets', 'DRY')).to.deep.equal([]);
  });

  it('has 1 to 1,000 items in at most 1 MiB, and objects of the right types', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ external_key: `MANY-${index}`, name: 'x' }));
    expectIssues(await post('assets', {}), [['items', 'required']]);
    expectIssues(await post('assets', { items: [] }), [['items', 'too_short']]);
    expectIssues(await post('assets', { items: items(1_001) }), [['items', 'too_long']]);
    expect(results(await post('assets', { items: items(1_000) }))).to.deep.equal(
      Array(1_000).fill('created'),
    );
    expectProblem(
      await post('assets', { items: [{ external_key: 'A', description: 'x'.repeat(1_048_576) }] }),
      'payload_too_large',
    );
    for (const [item, at] of [
      [null, 'items[1]'],
      [{ external_key: 1 }, 'items[1].external_key'],
      [{ tags: [{ value: 1 }] }, 'items[1].tags[0].value'],
    ] as const) {
      expectProblem(
        await post('assets', { items: [{}, item] }),
        'bad_request',
        `Body field "${at}" could not be decoded as the expected type`,
      );
    }
  });

  it('shows the first 1,000 errors, and refuses every faulty item', async () => {
    const tags = Array.from({ length: 20 }, () => ({}));
    const faulty = Array.from({ length: 998 }, (_, index) => ({
      external_key: `T-${index}`,
      name: 'x',
      tags,
    }));
    const { body } = await postFaulty([...faulty, { external_key: 'T-0' }, { external_key: 'T', name: 'x' }]);
    const shown = body?.data.map(({ errors }: { errors: Item[] }) => errors.length);
    expect(shown).to.deep.equal([...Array(25).fill(40), ...Array(973).fill(0), 1, 0]);
    const all = body?.data.map(({ result }: Item) => result);
    expect(all).to.deep.equal([...Array(999).fill('refused'), 'created']);
  });

  it('waits for others of the organization, while the rest of the API goes on', async () => {
    const other = new pg.Client(connectionConfig(api.database.url, 'other'));
    await other.connect();
    try {
      await other.query(
        `begin; insert into assets (org_id, external_key, name) values (${api.orgId}, 'HELD', 'x')`,
      );
      const held = [post('assets', { items: [{ external_key: 'HELD', name: 'y' }] })];
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await api.database.rows(waiting)).length === 0);
      held.push(post('assets', { items: [{ external_key: 'HELD', name: 'z' }] }));
      const { key } = await api.organization();
      const theirs = await post('assets', { items: [{ external_key: 'HELD', name: 'x' }] }, key);
      expect(results(theirs)).to.deep.equal(['created']);
      expect((await api.call({ path: '/api/v1/assets?limit=1' })).status).to.equal(200);
      await other.query('commit');
      expect((await Promise.all(held)).map(results)).to.deep.equal([['updated'], ['updated']]);
    } finally {
      await other.end();
    }
    expect((await list('assets', 'HELD')).map(({ name }) => name)).to.deep.equal(['z']);
  });
});
