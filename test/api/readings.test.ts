import { expect } from 'chai';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import type { Readings } from '../../domain/tracking/reading-kind.ts';
import { recordReadings } from '../../domain/tracking/tag-readings.ts';
import { useApi } from '../support/api.ts';
import { Site } from '../support/site.ts';

describe('what the tags of an asset measured', () => {
  const api = useApi();
  let site: Site;
  let assetId: number;
  let tags: [number, number];
  before(async () => {
    site = Site.of(api.database, api.orgId);
    assetId = await site.asset('FRIDGE');
    tags = [
      await site.tag({ assetId }, 'C30000250001', 'ble'),
      await site.tag({ assetId }, 'C30000250002', 'ble'),
    ];
    await measured(0, '08:00:10', { temperature_c: 4, battery_percent: 90 });
    await measured(0, '08:00:40', { temperature_c: 6 });
    await measured(1, '08:00:50', { temperature_c: 11 });
    await measured(0, '09:30:00', { temperature_c: -2.5 });
    await measured(0, '07:00:00', { temperature_c: 1, battery_percent: 91 });
  });

  const micros = (time: string) => Date.parse(`2026-05-04T${time}Z`) * 1_000;
  function measured(tag: 0 | 1, time: string, readings: Readings) {
    const reading = { orgId: api.orgId, assetId, tagId: tags[tag], observedAt: micros(time), readings };
    return inTransaction(api.database.pool, (client) =>
      recordReadings(client, [reading], { isCareful: false }),
    );
  }
  const list = async (query = '') =>
    (await api.call({ path: `/api/v1/assets/${assetId}/readings${query}` })).body as {
      data: Record<string, unknown>[];
      total_count: number;
    };

  it('is listed newest first, by time and kind', async () => {
    const { data, total_count } = await list('?kind=temperature_c&limit=2');
    expect(total_count).to.equal(5);
    expect(data).to.deep.equal([
      {
        ...{ observed_at: '2026-05-04T09:30:00.000Z', kind: 'temperature_c', tag_id: tags[0], value: -2.5 },
        ...{ min: null, mean: null, max: null, count: null },
      },
      {
        ...{ observed_at: '2026-05-04T08:00:50.000Z', kind: 'temperature_c', tag_id: tags[1], value: 11 },
        ...{ min: null, mean: null, max: null, count: null },
      },
    ]);
    const within = await list('?from=2026-05-04T08:00:40Z&to=2026-05-04T08:00:50Z&sort=observed_at');
    expect(within.data.map(({ value }) => value)).to.deep.equal([6, 11]);
    expect(await list('?kind=motion&offset=3')).to.deep.include({ data: [], total_count: 0 });
    expect((await list('?kind=battery_percent&kind=temperature_c&offset=100')).total_count).to.equal(7);
  });

  it('is put in buckets of all tags, with least, mean and greatest value', async () => {
    const { data, total_count } = await list('?bucket=1m&kind=temperature_c&sort=observed_at');
    expect(total_count).to.equal(3);
    expect(data[1]).to.deep.equal({
      ...{ observed_at: '2026-05-04T08:00:00.000Z', kind: 'temperature_c', tag_id: null, value: null },
      ...{ min: 4, mean: 7, max: 11, count: 3 },
    });
    const days = await list('?bucket=1d');
    expect(days.data.map(({ kind, count }) => [kind, count])).to.deep.equal([
      ['battery_percent', 2],
      ['temperature_c', 5],
    ]);
    const hours = await list('?bucket=1h&kind=battery_percent');
    expect(hours.data.map(({ observed_at }) => observed_at)).to.deep.equal([
      '2026-05-04T08:00:00.000Z',
      '2026-05-04T07:00:00.000Z',
    ]);
  });

  it('has its newest values on the tag, which a PATCH may send back', async () => {
    const path = `/api/v1/assets/${assetId}`;
    const { body } = await api.call({ path });
    const wanted = {
      temperature_c: { value: -2.5, observed_at: '2026-05-04T09:30:00.000Z' },
      battery_percent: { value: 90, observed_at: '2026-05-04T08:00:10.000Z' },
    };
    expect(body?.data.tags[0].readings).to.deep.equal(wanted);
    const listed = await api.call({ path: '/api/v1/assets?external_key=FRIDGE' });
    expect(listed.body?.data[0].tags).to.deep.equal(body?.data.tags);
    await measured(0, '10:00:00', { temperature_c: 3 });
    const patched = await api.call({ method: 'PATCH', path, json: body?.data });
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body?.data.updated_at).to.equal(body?.data.updated_at);
    const other = await site.asset('PLAIN', 'E280');
    expect((await api.call({ path: `/api/v1/assets/${other}` })).body?.data.tags[0]).to.have.all.keys(
      'id',
      'tag_type',
      'value',
    );
  });

  it('is refused by name where a question cannot be answered', async () => {
    for (const [query, field] of [
      ['?kind=pressure', 'kind'],
      ['?bucket=5m', 'bucket'],
      ['?from=today', 'from'],
      ['?sort=value', 'sort'],
    ]) {
      const { status, body } = await api.call({ path: `/api/v1/assets/${assetId}/readings${query}` });
      expect([status, body?.error?.fields?.[0]?.field]).to.deep.equal([400, field]);
    }
    expect((await api.call({ path: '/api/v1/assets/2147483647/readings' })).status).to.equal(404);
  });
});
