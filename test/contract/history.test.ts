import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const FIELDS = ['event_observed_at', 'location_id', 'location_external_key', 'duration_seconds', 'row'];

describe('the history of an asset', () => {
  const client = useClient();
  let asset: number;
  let hall: number;
  let yard: number;
  before(async () => {
    ({ id: asset } = await client.make('assets'));
    ({ id: hall } = await client.make('locations', { external_key: 'HALL' }));
    ({ id: yard } = await client.make('locations', { external_key: 'YARD' }));
    // The worked example: a repeat, a fraction of a second, and two scans that arrive late.
    for (const [time, place] of [
      ['10:00:00.000', hall],
      ['10:05:00.000', hall],
      ['10:10:00.900', yard],
      ['10:02:00.000', yard],
      ['09:58:00.000', hall],
      ['10:05:00.000', hall],
    ] as const) {
      await client.scan(asset, place, `2026-05-01T${time}Z`);
    }
    await noteRowKeys();
  });
  const history = (query = '', id = asset) => client.get(`/assets/${id}/history?${query}`);
  const times = async (query: string) => {
    const { status, text, body } = await history(query);
    expect(status, text).to.equal(200);
    return body?.data.map((row: { event_observed_at: string }) => row.event_observed_at.slice(11, 23));
  };
  const row = (time: string, place: number, duration_seconds: number | null) => ({
    event_observed_at: `2026-05-01T${time}Z`,
    location_id: place,
    location_external_key: place === hall ? 'HALL' : 'YARD',
    duration_seconds,
    row: rowKeys.get(time),
  });
  /** Opaque, so only that they stay the same can be expected of them. */
  const rowKeys = new Map<string, string>();
  const noteRowKeys = async () => {
    for (const { event_observed_at: time, row: key } of (await history()).body?.data ?? []) {
      rowKeys.set(time.slice(11, 23), key);
    }
  };
  const ROWS = ['10:10:00.900', '10:05:00.000', '10:02:00.000', '09:58:00.000'];

  it('has a row for every stay, the newest first, with whole seconds since the one before', async () => {
    const { body } = await history();
    expect(body).to.deep.equal({
      data: [
        row('10:10:00.900', yard, 300),
        row('10:05:00.000', hall, 180),
        row('10:02:00.000', yard, 240),
        row('09:58:00.000', hall, null),
      ],
      limit: 50,
      offset: 0,
      total_count: 4,
    });
    expect(Object.keys(body ?? {})).to.deep.equal(['data', 'limit', 'offset', 'total_count']);
    expect(body?.data.map(Object.keys)).to.deep.equal(Array(4).fill(FIELDS));
  });

  it('sorts by the time in both directions and by nothing else', async () => {
    expect(await times('sort=-event_observed_at')).to.deep.equal(ROWS);
    expect(await times('sort=event_observed_at')).to.deep.equal(ROWS.toReversed());
    expect(await times('sort=')).to.deep.equal(ROWS);
    for (const field of ['duration_seconds', 'location_id', '--event_observed_at', 'Event_observed_at']) {
      expectFields(await history(`sort=${field}`), [
        { field: 'sort', code: 'invalid_value', message: `unknown sort field: ${field.replace(/^-/, '')}` },
      ]);
    }
  });

  it('includes both bounds, in any offset and precision', async () => {
    for (const [query, expected] of [
      ['from=2026-05-01T10:02:00Z', ROWS.slice(0, 3)],
      ['from=2026-05-01T10:02:00.000001Z', ROWS.slice(0, 2)],
      ['to=2026-05-01T10:05:00Z', ROWS.slice(1)],
      ['to=2026-05-01T10:04:59.999999Z', ROWS.slice(2)],
      ['from=2026-05-01T10:02:00Z&to=2026-05-01T10:05:00Z', ROWS.slice(1, 3)],
      ['from=2026-05-01T12:05:00%2B02:00&to=2026-05-01T12:05:00%2B02:00', ROWS.slice(1, 2)],
      ['to=2026-05-01T10:10:00.900Z', ROWS],
      ['to=2026-05-01T10:10:00.899Z', ROWS.slice(1)],
      ['from=2026-05-01T10:10:00.900000000Z', ROWS.slice(0, 1)],
      ['from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z', []],
      ['from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', ROWS],
      ['from=0001-01-01T00:00:00Z', ROWS],
      ['to=1970-01-01T00:00:00Z', []],
    ] as const) {
      expect(await times(query), query).to.deep.equal(expected);
    }
  });

  it('includes a bound to the microsecond, or to what an answer shows of it', async () => {
    const { id } = await client.make('assets');
    await client.scan(id, hall, '2026-05-01T10:00:00.123456Z');
    for (const [bound, isIncluded] of [
      ['from=2026-05-01T10:00:00.123456Z', true],
      ['from=2026-05-01T10:00:00.123457Z', false],
      ['from=2026-05-01T10:00:00.123Z', true],
      ['from=2026-05-01T10:00:00.124Z', false],
      ['to=2026-05-01T10:00:00.123456Z', true],
      ['to=2026-05-01T10:00:00.123455Z', false],
      ['to=2026-05-01T10:00:00.1235Z', true],
      ['to=2026-05-01T10:00:00.1234Z', false],
      ['to=2026-05-01T10:00:00.123Z', true],
      ['to=2026-05-01T10:00:00.122Z', false],
    ] as const) {
      expect((await history(bound, id)).body?.total_count, bound).to.equal(isIncluded ? 1 : 0);
    }
  });

  it('keeps durations and counts of the whole, whatever part is shown', async () => {
    const part = await history('from=2026-05-01T10:05:00Z&sort=event_observed_at&limit=1');
    expect(part.body).to.deep.equal({
      data: [row('10:05:00.000', hall, 180)],
      limit: 1,
      offset: 0,
      total_count: 2,
    });
    const next = await history('from=2026-05-01T10:05:00Z&sort=event_observed_at&limit=1&offset=1');
    expect(next.body).to.deep.equal({
      data: [row('10:10:00.900', yard, 300)],
      limit: 1,
      offset: 1,
      total_count: 2,
    });
    const beyond = await history('offset=2147483647');
    expect(beyond.body).to.deep.equal({ data: [], limit: 50, offset: 2147483647, total_count: 4 });
  });

  for (const field of ['from', 'to']) {
    for (const text of [
      '',
      '2026-05-01',
      '2026/05/01T00:00:00Z',
      'x',
      '2026-05-01T10:00:00',
      '2026-02-30T00:00:00Z',
    ]) {
      it(`refuses ${field}=${text}`, async () => {
        const message = new RegExp(
          `^Invalid '${field}' timestamp; expected RFC 3339, e\\.g\\. \\d{4}-\\d\\d-\\d\\dT\\S+$`,
        );
        expectFields(await history(`${field}=${text}`), [{ field, code: 'invalid_value', message }]);
      });
    }

    it(`takes ${field} once`, async () => {
      const time = '2026-05-01T10:00:00Z';
      expectFields(await history(`${field}=${time}&${field}=${time}`), [{ field, code: 'invalid_value' }]);
    });
  }

  it('has a key for every row, which sorts by time, also where two are shown at one instant', async () => {
    const { id } = await client.make('assets');
    const times = ['10:00:00.123001', '10:00:00.123002', '10:00:00.999999', '10:00:01.000000', '23:00:00.5'];
    for (const [index, time] of times.entries()) {
      await client.scan(id, index % 2 === 0 ? hall : yard, `2026-05-01T${time.padEnd(15, '0')}Z`);
    }
    const { body } = await history('sort=event_observed_at', id);
    const keys: string[] = body?.data.map(({ row: key }: { row: string }) => key);
    expect(keys).to.have.length(times.length);
    expect(new Set(keys)).to.have.length(times.length);
    expect(keys.toSorted()).to.deep.equal(keys);
    const onPages = await Promise.all(
      keys.map(async (_, offset) => {
        const page = await history(`sort=event_observed_at&limit=1&offset=${offset}`, id);
        return page.body?.data[0].row;
      }),
    );
    expect(onPages).to.deep.equal(keys);
  });

  it('takes no other parameter', async () => {
    expectFields(await history('include_deleted=true&location_id=1&q=x'), [
      { field: 'include_deleted', code: 'unknown_field' },
      { field: 'location_id', code: 'unknown_field' },
      { field: 'q', code: 'unknown_field' },
    ]);
  });

  it('is empty for an asset that was never scanned, and 404 for one that is not there', async () => {
    const never = await client.make('assets');
    expect((await history('', never.id)).body).to.deep.equal({
      data: [],
      limit: 50,
      offset: 0,
      total_count: 0,
    });
    await client.remove(`/assets/${never.id}`);
    for (const id of [never.id, 2147483647]) {
      expectError(await history('', id), 404, 'not_found', 'Asset not found');
    }
  });

  it('is shown for an asset that is not in effect', async () => {
    const old = await client.make('assets', { valid_to: '2020-01-01T00:00:00Z', is_active: false });
    await client.scan(old.id, hall, '2026-05-01T10:00:00Z');
    expect((await history('', old.id)).body?.total_count).to.equal(1);
  });

  it('names a location by the key it has now, also after it was deleted', async () => {
    const place = await client.make('locations', { external_key: 'FIRST' });
    const { id } = await client.make('assets');
    await client.scan(id, place.id, '2026-05-01T10:00:00Z');
    await client.scan(id, hall, '2026-05-01T11:00:00Z');
    const keyThen = async () =>
      (await history('sort=event_observed_at', id)).body?.data[0].location_external_key;
    expect(await keyThen()).to.equal('FIRST');
    await client.post(`/locations/${place.id}/rename`, { external_key: 'SECOND' });
    expect(await keyThen()).to.equal('SECOND');
    await client.remove(`/locations/${place.id}`);
    await client.make('locations', { external_key: 'SECOND' });
    expect(await keyThen()).to.equal('SECOND');
    expect((await history('sort=event_observed_at', id)).body?.data[0].location_id).to.equal(place.id);
  });
});
