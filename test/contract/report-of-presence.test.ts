import { expect } from 'chai';
import { expectFields, useClient } from '../support/contract-client.ts';
import { storeSweepBy } from '../support/stored-sweep.ts';

const REPORT = '/reports/presence';
const NOON = 'at=2021-05-04T12:00:00Z&include_not_in_effect=true';

describe('the report of presence', () => {
  const client = useClient();
  const ids: Record<string, number> = {};
  let deafId = 0;

  before(async () => {
    const { database, orgId } = client.api;
    ids['SITE'] = (await client.make('locations', { external_key: 'SITE' })).id;
    for (const external_key of ['COLD', 'GATE', 'ROOM']) {
      ids[external_key] = (await client.make('locations', { external_key, parent_id: ids['SITE'] })).id;
    }
    for (const external_key of ['A', 'B', 'C', 'D', 'E', 'OLD', 'NEVER']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    await database.rows(
      `update assets set created_at = '2021-01-01T00:00:00Z' where org_id = $1 and external_key = 'NEVER'`,
      [orgId],
    );
    for (const [asset, place, time] of [
      ['A', 'COLD', '2021-05-04T11:59:30.500Z'],
      ['B', 'COLD', '2021-05-04T11:50:00.000Z'],
      ['C', 'GATE', '2021-05-04T09:00:00.000Z'],
      ['D', 'ROOM', '2021-05-04T11:00:15.000Z'],
      ['E', 'GATE', '2021-05-04T09:00:00.000Z'],
      ['E', 'COLD', '2021-05-05T09:00:00.000Z'],
      ['OLD', 'COLD', '2021-05-04T09:00:00.000Z'],
    ] as const) {
      await client.scan(ids[asset] ?? 0, ids[place] ?? 0, time);
    }
    const coldId = await reader('cold room', 'COLD');
    deafId = await reader('deaf', 'ROOM');
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages) values
         ($1, $2, 'up', '2021-05-04T11:00:00Z', '2021-05-04T13:00:00Z', 9),
         ($1, $3, 'up', '2021-05-04T11:00:00Z', '2021-05-04T11:00:30Z', 9)`,
      [orgId, coldId, deafId],
    );
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       select $1, unnest($2::integer[]), '2021-01-01T00:00:00Z', 'continuous', 60, false, 'all'`,
      [orgId, [ids['COLD'], ids['ROOM']]],
    );
    await storeSweepBy(
      database,
      { orgId, handheld: 'Early shift' },
      {
        ...{ id: 'SWEEP', locationId: ids['SITE'] ?? 0, endedAt: '2021-05-04T10:30:00Z' },
        ...{ withDescendants: true, expected: [ids['C'] ?? 0], missing: [ids['C'] ?? 0] },
      },
    );
    await client.remove(`/assets/${ids['OLD']}`);
    await database.rows(`update assets set deleted_at = '2021-05-04T11:00:00Z' where id = $1`, [ids['OLD']]);
  });

  /** With an antenna that has been at the location since 2021. */
  async function reader(name: string, place: string): Promise<number> {
    const { database, orgId } = client.api;
    const [row] = await database.rows<{ id: number }>(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       values ($1, $2, $2, 'tagtrail', $2 || $1::integer, sha256('x')) returning id`,
      [orgId, name],
    );
    await database.rows(
      `insert into antennas (org_id, reader_id, port, location_id) values ($1, $2, 1, $3)`,
      [orgId, row?.id, ids[place]],
    );
    await database.rows(`update antenna_versions set since = '2021-01-01T00:00:00Z' where reader_id = $1`, [
      row?.id,
    ]);
    return row?.id ?? 0;
  }

  const rows = async (query: string) => {
    const { status, text, body } = await client.get(`${REPORT}?${query}`);
    expect(status, text).to.equal(200);
    expect(body?.total_count).to.equal(body?.data.length);
    return body?.data ?? [];
  };
  const states = async (query = NOON): Promise<string[]> =>
    (await rows(query)).map(
      (row: { asset_external_key: string; state: string }) => `${row.asset_external_key} ${row.state}`,
    );

  it('has a row for each asset, with what can be said of it', async () => {
    expect(await states()).to.deep.equal([
      'A present',
      'B overdue',
      'C missing',
      'D unknown',
      'E present',
      'NEVER never_seen',
    ]);
  });

  it('says since when, for how long it would have been read, and because of what', async () => {
    const all = await rows(NOON);
    const of = (key: string) =>
      all.find((row: { asset_external_key: string }) => row.asset_external_key === key);
    expect(of('A')).to.deep.equal({
      asset_id: ids['A'],
      asset_external_key: 'A',
      asset_deleted_at: null,
      location_id: ids['COLD'],
      location_external_key: 'COLD',
      last_seen: '2021-05-04T11:59:30.500Z',
      state: 'present',
      state_since: '2021-05-04T11:59:30.500Z',
      unseen_covered_seconds: 29.5,
      because: null,
    });
    expect(of('B')).to.deep.include({
      state_since: '2021-05-04T11:51:00.000Z',
      unseen_covered_seconds: 600,
      because: null,
    });
    expect(of('C')).to.deep.include({
      state_since: '2021-05-04T10:30:00.000Z',
      unseen_covered_seconds: null,
      because: { sweep_id: 'SWEEP' },
    });
    expect(of('D')).to.deep.include({
      state_since: '2021-05-04T11:01:15.000Z',
      unseen_covered_seconds: 15,
      because: { reader_id: deafId, reader_name: 'deaf', since: '2021-05-04T11:01:00.000Z' },
    });
    expect(of('NEVER')).to.deep.include({
      location_id: null,
      location_external_key: null,
      last_seen: null,
      state_since: null,
      unseen_covered_seconds: null,
      because: null,
    });
  });

  it('names the rule by which an asset is overdue or missing, as it was then', async () => {
    const { database, orgId } = client.api;
    const rule = (
      id: string,
      version: number,
      from: string,
      seconds: [number, number | null],
      isEnded = false,
    ) =>
      database.rows(
        `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, then_seconds,
           within_location_id, metadata, mail_to)
         values ($1, $2, $3, $4, $5, 'overdue', $2, $6, $7, $8, '[]', '{}')`,
        [orgId, id, version, from, isEnded, ...seconds, ids['SITE']],
      );
    const [STRICT, LAX] = ['01J00000000000000000000001', '01J00000000000000000000002'];
    await rule(STRICT, 1, '2021-05-04T11:55:00Z', [300, 580]);
    await rule(LAX, 1, '2021-05-04T11:00:00Z', [400, 3_600]);
    await rule(STRICT, 2, '2021-05-04T12:30:00Z', [300, 580], true);
    const at = async (instant: string) => {
      const [row] = await rows(`at=${instant}&include_not_in_effect=true&asset_external_key=B`);
      return { state: row.state, since: row.state_since, because: row.because };
    };
    expect(await at('2021-05-04T11:54:00Z')).to.deep.include({ state: 'present', because: null });
    expect(await at('2021-05-04T11:56:00Z')).to.deep.equal({
      ...{ state: 'overdue', since: '2021-05-04T11:55:00.000Z', because: { rule_id: STRICT } },
    });
    expect(await at('2021-05-04T12:00:00Z')).to.deep.equal({
      ...{ state: 'missing', since: '2021-05-04T11:59:40.000Z', because: { rule_id: STRICT } },
    });
    expect(await at('2021-05-04T12:30:00Z')).to.deep.equal({
      ...{ state: 'overdue', since: '2021-05-04T12:30:00.000Z', because: { rule_id: LAX } },
    });
    await database.rows('delete from rules where org_id = $1', [orgId]);
  });

  it('is about now without an instant', async () => {
    expect(await states('asset_external_key=E')).to.deep.equal(['E unknown']);
    expect(await states('asset_external_key=NEVER')).to.deep.equal(['NEVER never_seen']);
  });

  it('takes the filters of assets and locations, also of those below them, and of states', async () => {
    expect(await states(`${NOON}&asset_id=${ids['A']}&asset_id=${ids['C']}`)).to.deep.equal([
      'A present',
      'C missing',
    ]);
    expect(await states(`${NOON}&location_external_key=COLD`)).to.deep.equal(['A present', 'B overdue']);
    expect(await states(`${NOON}&location_id=${ids['SITE']}`)).to.deep.equal([]);
    expect(await states(`${NOON}&location_id=${ids['SITE']}&include_descendants=true`)).to.have.length(5);
    expect(await states(`${NOON}&state=overdue&state=missing`)).to.deep.equal(['B overdue', 'C missing']);
    expect(await states(`${NOON}&state=never_seen`)).to.deep.equal(['NEVER never_seen']);
  });

  it('has assets that had been deleted by then on request only', async () => {
    expect(await states(`${NOON}&include_deleted=true`)).to.include('OLD overdue');
    expect(await states('at=2021-05-04T10:59:59Z&include_not_in_effect=true')).to.include('OLD overdue');
  });

  it('pages without a gap, also by state, and sorts by location', async () => {
    for (const state of ['', '&state=present&state=never_seen']) {
      const whole = await states(NOON + state);
      const pages: string[] = [];
      for (let offset = 0; offset < whole.length; offset++) {
        const { body } = await client.get(`${REPORT}?${NOON}${state}&limit=1&offset=${offset}`);
        expect(body).to.include({ limit: 1, offset, total_count: whole.length });
        pages.push(`${body?.data[0].asset_external_key} ${body?.data[0].state}`);
      }
      expect(pages).to.deep.equal(whole);
    }
    expect((await states(`${NOON}&sort=-location_external_key`)).map((each) => each[0])).to.deep.equal([
      ...['D', 'C', 'E', 'A', 'B', 'N'],
    ]);
  });

  it('wants an instant of the past, and states that there are', async () => {
    expectFields(await client.get(`${REPORT}?at=2999-01-01T00:00:00Z`), [
      { field: 'at', code: 'invalid_value', message: 'at must not be later than now' },
    ]);
    expectFields(await client.get(`${REPORT}?state=lost`), [{ field: 'state', code: 'invalid_value' }]);
  });
});
