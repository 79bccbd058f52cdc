import { expect } from 'chai';
import { expectFields, useClient } from '../support/contract-client.ts';

const REPORT = '/reports/turns';
const WEEK = 'from=2021-05-03T00:00:00Z&to=2021-05-10T00:00:00Z';
const DOCK_TO_WASHING = `${WEEK}&from_location_external_key=DOCK&to_location_external_key=WASHING`;
const HOUR = 3_600;

describe('the report of turns', () => {
  const client = useClient();
  const ids: Record<string, number> = {};

  before(async () => {
    for (const external_key of ['DOCK', 'YARD', 'WASHING']) {
      ids[external_key] = (await client.make('locations', { external_key })).id;
    }
    ids['BOX'] = (await client.make('locations', { external_key: 'BOX', parent_id: ids['WASHING'] })).id;
    for (const external_key of ['A', 'B', 'C', 'OLD']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    for (const [asset, place, time] of [
      ['A', 'DOCK', '2021-05-01T00:00:00Z'],
      ['A', 'YARD', '2021-05-02T00:00:00Z'],
      // Ends in the window, left before; then again, by way of the yard twice.
      ['A', 'WASHING', '2021-05-03T00:00:00Z'],
      ['A', 'DOCK', '2021-05-04T00:00:00Z'],
      ['A', 'YARD', '2021-05-04T01:00:00Z'],
      ['A', 'DOCK', '2021-05-04T02:00:00Z'],
      ['A', 'YARD', '2021-05-04T03:00:00.500Z'],
      ['A', 'WASHING', '2021-05-04T05:00:00Z'],
      ['A', 'YARD', '2021-05-05T00:00:00Z'],
      // Has not left the dock since it arrived.
      ['A', 'WASHING', '2021-05-05T01:00:00Z'],
      // At once, then under way.
      ['B', 'DOCK', '2021-05-05T00:00:00Z'],
      ['B', 'WASHING', '2021-05-06T00:00:00Z'],
      ['B', 'DOCK', '2021-05-07T00:00:00Z'],
      ['B', 'YARD', '2021-05-08T00:00:00Z'],
      ['B', 'WASHING', '2021-05-10T00:00:00Z'],
      ['C', 'DOCK', '2021-05-05T00:00:00Z'],
      ['C', 'BOX', '2021-05-05T12:00:00Z'],
      ['OLD', 'DOCK', '2021-05-05T00:00:00Z'],
      ['OLD', 'YARD', '2021-05-05T01:00:00Z'],
      ['OLD', 'WASHING', '2021-05-05T04:00:00Z'],
    ] as const) {
      await client.api.database.rows(
        `insert into location_transitions (org_id, asset_id, observed_at, location_id) values ($1, $2, $3, $4)`,
        [client.api.orgId, ids[asset], time, ids[place]],
      );
    }
    await client.api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select distinct on (asset_id) org_id, asset_id, location_id, observed_at, observed_at
       from location_transitions where org_id = $1 order by asset_id, observed_at desc`,
      [client.api.orgId],
    );
    await client.remove(`/assets/${ids['OLD']}`);
    await client.api.database.rows(`update assets set deleted_at = '2021-05-06T00:00:00Z' where id = $1`, [
      ids['OLD'],
    ]);
  });

  const rows = async (query: string) => {
    const { status, text, body } = await client.get(`${REPORT}?${query}`);
    expect(status, text).to.equal(200);
    expect(body?.total_count).to.equal(body?.data.length);
    return body?.data ?? [];
  };
  const none = { asset_id: null, asset_external_key: null, day: null };

  it('measures from the last departure before the arrival, and counts what ended in the window', async () => {
    // 0, 1:59:59.5, 3 and 24 hours.
    const [all] = await rows(DOCK_TO_WASHING);
    expect(all).to.deep.equal({
      ...none,
      count: 4,
      median_seconds: (5 * HOUR - 0.5) / 2,
      p90_seconds: 63_720,
      max_seconds: 24 * HOUR,
      not_ended: 2,
    });
  });

  it('counts moves within a subtree neither as departures nor as arrivals', async () => {
    const [all] = await rows(`${DOCK_TO_WASHING}&include_descendants=true`);
    expect(all).to.include({ count: 5, not_ended: 1, max_seconds: 24 * HOUR });
  });

  it('takes a location that was moved to another parent for neither departure nor arrival of what stands there', async () => {
    const { api } = client;
    const room = await client.make('locations', { external_key: 'ROOM' });
    const asset = await client.make('assets', { external_key: 'STANDS' });
    await api.database.rows('delete from location_versions where location_id = $1', [room.id]);
    for (const [since, parent] of [
      ['2021-05-01T00:00:00Z', 'DOCK'],
      ['2021-05-05T00:00:00Z', 'WASHING'],
      ['2021-05-07T00:00:00Z', 'DOCK'],
    ] as const) {
      await api.database.rows(
        `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
         values ($1, $2, $3, 'ROOM', 'Any', $4, false)`,
        [api.orgId, room.id, since, ids[parent]],
      );
    }
    const moved = async (place: number | undefined, time: string) =>
      api.database.rows(
        `with moved as (
           insert into location_transitions (org_id, asset_id, observed_at, location_id) values ($1, $2, $3, $4)
         )
         insert into positions (org_id, asset_id, location_id, since, last_seen) values ($1, $2, $4, $3, $3)
         on conflict (org_id, asset_id) do update set location_id = excluded.location_id, since = excluded.since`,
        [api.orgId, asset.id, time, place],
      );
    const turns = async () => {
      const [all] = await rows(`${DOCK_TO_WASHING}&include_descendants=true&asset_external_key=STANDS`);
      return { count: all?.count, not_ended: all?.not_ended, max_seconds: all?.max_seconds };
    };
    await moved(room.id, '2021-05-04T00:00:00Z');
    expect(await turns()).to.deep.equal({ count: 0, not_ended: 0, max_seconds: null });
    // It was in the washing by then, so it does not leave the dock.
    await moved(ids['YARD'], '2021-05-06T00:00:00Z');
    expect(await turns()).to.deep.equal({ count: 0, not_ended: 0, max_seconds: null });
    await moved(room.id, '2021-05-06T12:00:00Z');
    // The room is part of the dock again, so this leaves the dock; what arrived before does not count.
    await moved(ids['YARD'], '2021-05-08T00:00:00Z');
    expect(await turns()).to.deep.equal({ count: 0, not_ended: 1, max_seconds: null });
    await moved(ids['BOX'], '2021-05-08T06:00:00Z');
    expect(await turns()).to.deep.equal({ count: 1, not_ended: 0, max_seconds: 6 * HOUR });
  });

  it('has a row for each asset, of deleted ones one, or for each day', async () => {
    const counts = async (query: string, name: string) =>
      (await rows(`${DOCK_TO_WASHING}&${query}`)).map((row: Record<string, unknown>) => [
        row[name],
        row['count'],
        row['not_ended'],
      ]);
    expect(await counts('group_by=asset', 'asset_external_key')).to.deep.equal([
      ['A', 2, 0],
      ['B', 1, 1],
      ['C', 0, 1],
      [null, 1, 0],
    ]);
    expect(
      await counts('group_by=asset&include_deleted=true&asset_external_key=OLD', 'asset_id'),
    ).to.deep.equal([[ids['OLD'], 1, 0]]);
    expect(await counts('group_by=day&sort=-day', 'day')).to.deep.equal([
      ['2021-05-08', 0, 1],
      ['2021-05-06', 1, 0],
      ['2021-05-05', 1, 1],
      ['2021-05-04', 1, 0],
      ['2021-05-03', 1, 0],
    ]);
  });

  it('tells how long assets were away, with one location for both', async () => {
    const away = `${WEEK}&from_location_id=${ids['DOCK']}&to_location_id=${ids['DOCK']}&asset_external_key=B`;
    expect(await rows(away)).to.deep.equal([
      {
        ...none,
        ...{
          count: 1,
          median_seconds: 24 * HOUR,
          p90_seconds: 24 * HOUR,
          max_seconds: 24 * HOUR,
          not_ended: 1,
        },
      },
    ]);
  });

  it('has one row without figures where there is no trip', async () => {
    const nothing = {
      ...none,
      count: 0,
      median_seconds: null,
      p90_seconds: null,
      max_seconds: null,
      not_ended: 0,
    };
    expect(await rows(`${WEEK}&from_location_external_key=NONE&to_location_external_key=DOCK`)).to.deep.equal(
      [nothing],
    );
    expect(
      await rows(
        'from=2021-05-03T00:00:00Z&to=2021-05-03T00:00:00Z&from_location_external_key=A&to_location_external_key=B',
      ),
    ).to.deep.equal([nothing]);
  });

  it('wants both locations, each in one form', async () => {
    expectFields(await client.get(`${REPORT}?${WEEK}`), [
      { field: 'from_location_id', code: 'required' },
      { field: 'to_location_id', code: 'required' },
    ]);
    expectFields(await client.get(`${REPORT}?${DOCK_TO_WASHING}&from_location_id=1`), [
      { field: 'from_location_id', code: 'ambiguous_fields' },
      { field: 'from_location_external_key', code: 'ambiguous_fields' },
    ]);
  });
});
