import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig, useApi } from '../../support/api.ts';
import { expectFields, useClient } from '../../support/contract-client.ts';

const AT = '/reports/positions-at';
const STAYS = '/reports/stays';
const DAY = 'from=2020-05-01T00:00:00Z&to=2020-05-02T00:00:00Z';
const FUTURE = '2099-01-01T00:00:00Z';

describe('reports about the past', () => {
  const api = useApi();
  const client = useClient(api);
  const ids: Record<string, number> = {};
  let earlier: string;

  const now = async () => {
    const [row] = await api.database.rows<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    );
    return row?.now ?? '';
  };
  const read = async (path: string) => {
    const { status, text, body } = await client.get(path);
    expect(status, text).to.equal(200);
    return body ?? expect.fail(text);
  };

  before(async () => {
    for (const external_key of ['HALL', 'YARD']) {
      ids[external_key] = (await client.make('locations', { external_key })).id;
    }
    ids['DOCK'] = (await client.make('locations', { external_key: 'DOCK', parent_external_key: 'HALL' })).id;
    for (const external_key of ['A', 'B']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    const scan = async (asset: string, place: string, time: string) => {
      await client.scan(ids[asset] ?? 0, ids[place] ?? 0, `2020-05-01T${time}Z`);
      await api.database.rows(
        `update scan_events set received_at = clock_timestamp() where received_at < '2021-01-01'`,
      );
    };
    await scan('A', 'HALL', '10:00:00.000400');
    await scan('A', 'DOCK', '12:00:00.500000');
    await scan('A', 'DOCK', '12:30:00.000000');
    await scan('B', 'YARD', '11:00:00.000000');
    earlier = await now();
    await scan('A', 'YARD', '11:00:00.000000');
    await client.remove(`/assets/${ids['B']}`);
    await client.patch(`/locations/${ids['DOCK']}`, { parent_external_key: 'YARD' });
  });

  it('refuse what is missing, not a time, or yet to come', async () => {
    expectFields(await client.get(AT), [{ field: 'at', code: 'required', message: 'at is required' }]);
    expectFields(await client.get(STAYS), [
      { field: 'from', code: 'required' },
      { field: 'to', code: 'required' },
    ]);
    expectFields(await client.get(`${AT}?at=2020-05-01`), [
      { field: 'at', code: 'invalid_value', message: /^Invalid 'at' timestamp; expected RFC 3339, e.g. / },
    ]);
    expectFields(await client.get(`${AT}?at=${FUTURE}`), [
      { field: 'at', code: 'invalid_value', message: 'at must not be later than now' },
    ]);
    expectFields(await client.get(`${STAYS}?from=${FUTURE}&to=${FUTURE}&known_at=${FUTURE}`), [
      { field: 'from', code: 'invalid_value' },
      { field: 'to', code: 'invalid_value' },
      { field: 'known_at', code: 'invalid_value', message: 'known_at must not be later than now' },
    ]);
    expectFields(await client.get(`/assets/${ids['A']}/history?known_at=${FUTURE}`), [
      { field: 'known_at', code: 'invalid_value' },
    ]);
    expectFields(await client.get(`${STAYS}?${DAY}&known_at=2020-05-01T12:00:00Z`), [
      { field: 'to', code: 'invalid_value', message: 'to must not be later than known_at' },
    ]);
  });

  it('say where assets were, since when, and when they had been seen last by then', async () => {
    const [deleted] = await api.database.rows<{ at: Date }>(
      'select deleted_at as at from assets where id = $1',
      [ids['B']],
    );
    expect(await read(`${AT}?at=2020-05-01T12:45:00Z&include_deleted=true`)).to.deep.equal({
      data: [
        position('A', 'DOCK', '12:00:00.500', '12:30:00.000'),
        position('B', 'YARD', '11:00:00.000', '11:00:00.000', new Date(deleted?.at ?? 0).toISOString()),
      ],
      limit: 50,
      offset: 0,
      total_count: 2,
    });
    const { data } = await read(`${AT}?at=2020-05-01T12:10:00Z&asset_external_key=A`);
    expect(data).to.deep.equal([position('A', 'DOCK', '12:00:00.500', '12:00:00.500')]);
  });

  it('include what is shown as the instant asked for, and nothing of a later one', async () => {
    expect((await read(`${AT}?at=2020-05-01T10:00:00.000Z`)).total_count).to.equal(1);
    expect((await read(`${AT}?at=2020-05-01T10:00:00.000399Z`)).total_count).to.equal(0);
    expect((await read(`${AT}?at=2020-05-01T09:59:59.999Z`)).total_count).to.equal(0);
  });

  it('list stays with their seconds inside the window', async () => {
    const window = 'from=2020-05-01T10:30:00Z&to=2020-05-01T12:00:01.250Z&asset_external_key=A';
    expect((await read(`${STAYS}?${window}`)).data).to.deep.equal([
      stay('DOCK', '12:00:00.500', null, 0.75, [false, true]),
      stay('YARD', '11:00:00.000', '12:00:00.500', 3600.5, [false, false]),
      stay('HALL', '10:00:00.000', '11:00:00.000', 1800, [true, false]),
    ]);
    expect(await read(`${STAYS}?from=2020-05-02T00:00:00Z&to=2020-05-01T00:00:00Z`)).to.deep.include({
      data: [],
      total_count: 0,
    });
  });

  it('count a location below another by the tree as it was then', async () => {
    const hall = `${STAYS}?${DAY}&location_external_key=HALL&include_descendants=true`;
    expect(
      (await read(hall)).data.map(({ location_external_key: key }: { location_external_key: string }) => key),
    ).to.deep.equal(['DOCK', 'HALL']);
    const place = async (key: string, time: string) =>
      (
        await read(
          `${AT}?at=${time}&location_external_key=${key}&include_descendants=true&asset_external_key=A`,
        )
      ).total_count;
    expect([await place('HALL', earlier), await place('YARD', earlier)]).to.deep.equal([1, 0]);
    const later = await now();
    expect([await place('HALL', later), await place('YARD', later)]).to.deep.equal([0, 1]);
  });

  it('leave out what was recorded later, with known_at', async () => {
    const known = `known_at=${earlier}`;
    const at = `${AT}?at=2020-05-01T11:30:00Z&asset_external_key=A`;
    expect((await read(at)).data).to.deep.equal([position('A', 'YARD', '11:00:00.000', '11:00:00.000')]);
    expect((await read(`${at}&${known}`)).data).to.deep.equal([
      position('A', 'HALL', '10:00:00.000', '10:00:00.000'),
    ]);
    expect((await read(`${STAYS}?${DAY}&asset_external_key=A&${known}`)).data.length).to.equal(2);
    expect((await read(`${STAYS}?${DAY}&asset_external_key=A`)).data.length).to.equal(3);
    const history = async (query: string) =>
      (await read(`/assets/${ids['A']}/history?${query}`)).data.map(
        (row: { location_external_key: string; duration_seconds: number | null }) => [
          row.location_external_key,
          row.duration_seconds,
        ],
      );
    expect(await history(known)).to.deep.equal([
      ['DOCK', 7200],
      ['HALL', null],
    ]);
    expect(await history(`${known}&from=2020-05-01T11:00:00Z&sort=event_observed_at`)).to.deep.equal([
      ['DOCK', 7200],
    ]);
    expect(await history(`known_at=${await now()}`)).to.deep.equal([
      ['DOCK', 3600],
      ['YARD', 3599],
      ['HALL', null],
    ]);
    const deleted = `${AT}?at=${earlier}&asset_external_key=B&include_deleted=true`;
    expect((await read(`${deleted}&${known}`)).data[0].asset_deleted_at).to.equal(null);
    expect((await read(deleted)).data[0].asset_deleted_at).not.to.equal(null);
  });

  it('name the earliest instant where what was known then is not known any more', async () => {
    const at = `${AT}?at=2020-05-01T11:30:00Z`;
    const refused = await client.get(`${at}&known_at=2020-05-02T00:00:00Z`);
    expectFields(refused, [
      {
        field: 'known_at',
        code: 'invalid_value',
        message: /^known_at must not be before \d{4}-\S+\.\d{3}Z, where the feed of moves begins$/,
      },
    ]);
    const earliest = refused.body?.error?.fields?.[0]?.params?.['earliest'];
    expect((await read(`${at}&known_at=${earliest}`)).data).to.deep.equal([]);
  });

  it('are refused with advice where a statement takes too long', async () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    const impatient = await startApi(
      { ...apiConfig(api.database.url), QUERY_TIMEOUT_MS: 300 },
      pino({ level: 'silent' }),
      lifecycle,
    );
    const locker = new pg.Client(connectionConfig(api.database.url, 'locker'));
    await locker.connect();
    try {
      await locker.query('begin');
      await locker.query('lock table location_transitions in access exclusive mode');
      for (const [path, message] of [
        [`${AT}?at=2020-05-01T11:30:00Z`, /name assets or locations$/],
        [`${STAYS}?${DAY}`, /ask for a narrower window/],
      ] as const) {
        const response = await fetch(`${impatient.url}/api/v1${path}`, {
          headers: { Authorization: `Bearer ${client.api.key}` },
        });
        const { error } = (await response.json()) as { error: { type: string; detail: string } };
        expect([response.status, error.type]).to.deep.equal([400, 'validation_error']);
        expect(error.detail).to.match(message);
      }
    } finally {
      await locker.end();
      await lifecycle.stop();
    }
  });

  function position(
    asset: string,
    place: string,
    since: string,
    lastSeen: string,
    deletedAt: string | null = null,
  ) {
    return {
      asset_id: ids[asset],
      asset_external_key: asset,
      asset_deleted_at: deletedAt,
      location_id: ids[place],
      location_external_key: place,
      since: `2020-05-01T${since}Z`,
      last_seen: `2020-05-01T${lastSeen}Z`,
    };
  }

  function stay(
    place: string,
    entered: string,
    left: string | null,
    seconds: number,
    [before, after]: [boolean, boolean],
  ) {
    return {
      asset_id: ids['A'],
      asset_external_key: 'A',
      asset_deleted_at: null,
      location_id: ids[place],
      location_external_key: place,
      entered_at: `2020-05-01T${entered}Z`,
      left_at: left === null ? null : `2020-05-01T${left}Z`,
      seconds_in_window: seconds,
      began_before: before,
      goes_on_after: after,
    };
  }
});
