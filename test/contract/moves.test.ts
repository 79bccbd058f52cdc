import { expect } from 'chai';
import { expectError, expectFields, useClient, WIRE_TIME } from '../support/contract-client.ts';
import { sealAll } from '../support/seal-all.ts';

interface Row {
  row: string;
  event_observed_at: string;
  location_id: number;
  location_external_key: string;
  duration_seconds: number | null;
}

interface MoveEvent {
  id: string;
  type: string;
  subject: string;
  time: string;
  data: {
    position: number;
    asset: { id: number; external_key: string };
    current: { location_id: number | null; since: string | null; last_seen: string | null; changed: boolean };
    added: Row[];
    removed: Row[];
    changed: (Row & { was: Pick<Row, 'location_id' | 'duration_seconds'> })[];
  };
}

const MOVED = 'tagtrail.asset.moved.v1';
const CORRECTED = 'tagtrail.history.corrected.v1';

describe('the feed of moves', () => {
  const client = useClient();
  let hall: number;
  let yard: number;
  before(async () => {
    ({ id: hall } = await client.make('locations', { external_key: 'HALL' }));
    ({ id: yard } = await client.make('locations', { external_key: 'YARD' }));
  });
  const moves = async (query: string) => {
    await sealAll(client.api.database.url);
    const { status, text, body } = await client.get(`/moves?${query}`);
    expect(status, text).to.equal(200);
    return body?.data;
  };
  const head = async () => (await moves('limit=1')).head;
  const eventsAfter = async (position: number): Promise<MoveEvent[]> =>
    (await moves(`after=${position}`)).moves;
  const scan = (asset: number, place: number, time: string) =>
    client.scan(asset, place, `2026-05-01T${time}Z`);
  const historyOf = async (asset: number): Promise<Row[]> =>
    (await client.get(`/assets/${asset}/history?sort=event_observed_at&limit=200`)).body?.data;

  it('is one object with events, in order, as CloudEvents', async () => {
    const { id } = await client.make('assets', { external_key: 'FORKLIFT-2' });
    const before = await head();
    await scan(id, hall, '10:00:00.000');
    const data = await moves(`after=${before}`);
    expect(Object.keys(data)).to.deep.equal(['moves', 'next', 'head', 'oldest']);
    expect(data).to.deep.include({ next: before + 1, head: before + 1, oldest: 1 });
    const [event] = data.moves;
    expect(event.time).to.match(WIRE_TIME);
    const [{ row } = { row: '' }] = await historyOf(id);
    expect(event).to.deep.equal({
      specversion: '1.0',
      id: event.id,
      source: `/orgs/${client.api.orgId}/moves`,
      type: MOVED,
      subject: `assets/${id}`,
      time: event.time,
      datacontenttype: 'application/json',
      data: {
        position: before + 1,
        asset: { id, external_key: 'FORKLIFT-2' },
        current: {
          location_id: hall,
          location_external_key: 'HALL',
          since: '2026-05-01T10:00:00.000Z',
          last_seen: '2026-05-01T10:00:00.000Z',
          changed: true,
        },
        added: [
          {
            event_observed_at: '2026-05-01T10:00:00.000Z',
            location_id: hall,
            location_external_key: 'HALL',
            duration_seconds: null,
            row,
          },
        ],
        removed: [],
        changed: [],
      },
    });
    expect(await eventsAfter(before)).to.deep.equal([event]);
  });

  it('tells nothing of a scan that changes no history', async () => {
    const { id } = await client.make('assets');
    await scan(id, hall, '10:00:00.000');
    const before = await head();
    await scan(id, hall, '11:00:00.000');
    expect(await eventsAfter(before)).to.deep.equal([]);
  });

  it('tells moves at the end as moves, and what late scans do to the past as corrections', async () => {
    const { id } = await client.make('assets');
    await scan(id, hall, '10:00:00.000');
    const before = await head();
    await scan(id, yard, '10:10:00.000');
    await scan(id, yard, '10:05:00.000');
    await scan(id, yard, '10:02:00.000');
    await scan(id, hall, '10:03:00.000');
    const events = await eventsAfter(before);
    expect(events.map(({ type }) => type)).to.deep.equal([MOVED, CORRECTED, CORRECTED, CORRECTED]);
    expect(events.map(({ data }) => data.current.changed)).to.deep.equal([true, false, false, false]);
    expect(events.map(({ data }) => data.position)).to.deep.equal(
      [1, 2, 3, 4].map((index) => before + index),
    );
    const [, earlier] = events;
    expect(earlier?.data.current.since).to.equal('2026-05-01T10:05:00.000Z');
    const instants = (rows: readonly Row[] = []) => rows.map((row) => row.event_observed_at.slice(11, 16));
    expect([instants(earlier?.data.removed), instants(earlier?.data.added)]).to.deep.equal([
      ['10:10'],
      ['10:05'],
    ]);
  });

  it('makes every history of nothing, at every position, also if events are applied twice', async () => {
    const assets = await Promise.all([1, 2, 3].map(() => client.make('assets')));
    const before = await head();
    const histories = new Map<number, Row[]>();
    const rows = new Map(assets.map(({ id }) => [id, new Map<string, Row>()]));
    let position = before;
    for (let step = 0; step < 60; step++) {
      const { id } = assets[step % 3] ?? { id: 0 };
      const minute = (step * 37) % 60;
      await scan(
        id,
        (step * 7) % 5 < 2 ? hall : yard,
        `1${step % 2}:${String(minute).padStart(2, '0')}:00.000`,
      );
      histories.set(id, await historyOf(id));
      const events = await eventsAfter(position);
      for (const { data } of [...events, ...events]) {
        const own = rows.get(data.asset.id);
        for (const { row } of data.removed) {
          own?.delete(row);
        }
        for (const row of [...data.added, ...data.changed]) {
          own?.set(row.row, row);
        }
      }
      position += events.length;
      const folded = [...(rows.get(id) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      expect(folded.map(({ was: _was, ...row }: Row & { was?: object }) => row)).to.deep.equal(
        histories.get(id),
      );
    }
    expect(position).to.be.above(before + 10);
  });

  it('names an asset and its locations by the keys they have now', async () => {
    const { id } = await client.make('assets', { external_key: 'OLD' });
    const place = await client.make('locations', { external_key: 'OLD' });
    const before = await head();
    await scan(id, place.id, '10:00:00.000');
    await scan(id, hall, '11:00:00.000');
    await client.post(`/assets/${id}/rename`, { external_key: 'NEW' });
    await client.remove(`/assets/${id}`);
    await client.post(`/locations/${place.id}/rename`, { external_key: 'NEW' });
    await client.remove(`/locations/${place.id}`);
    const [event] = await eventsAfter(before);
    expect(event?.data.asset).to.deep.equal({ id, external_key: 'NEW' });
    expect(event?.data.added[0]).to.include({ location_id: place.id, location_external_key: 'NEW' });
  });

  it('takes a position, a limit of 1 to 200 and a wait of 0 to 30 seconds', async () => {
    const last = await head();
    expect((await moves('limit=200')).moves).to.have.length(Math.min(200, last));
    expect((await moves('')).moves).to.have.length(Math.min(50, last));
    expect((await moves(`after=${last - 3}&limit=2&wait=30`)).moves).to.have.length(2);
    expectFields(await client.get('/moves?after=-1&limit=201&wait=31&offset=0'), [
      { field: 'after', code: 'too_small', params: { min: 0 } },
      { field: 'limit', code: 'too_large', params: { max: 200 } },
      { field: 'wait', code: 'too_large', params: { max: 30 } },
      { field: 'offset', code: 'unknown_field' },
    ]);
    expectFields(await client.get(`/moves?after=${last + 1}`), [
      { field: 'after', code: 'invalid_value', params: { max: last } },
    ]);
  });

  it('needs tracking:read', async () => {
    const answer = await client.get('/moves', {
      key: await client.api.keyWith(['assets:read', 'locations:read']),
    });
    expectError(answer, 403, 'forbidden', 'Missing required scope: tracking:read');
  });
});
