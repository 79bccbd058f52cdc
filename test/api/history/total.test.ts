import { expect } from 'chai';
import fc from 'fast-check';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useApi } from '../../support/api.ts';
import { useClient } from '../../support/contract-client.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const SECOND = 1_000_000;
const LAST = 40;

/** A batch of reads by second and place, and what is done after it. */
const aStep = fc.record({
  reads: fc.array(fc.record({ second: fc.nat({ max: LAST }), place: fc.nat({ max: 2 }) }), {
    minLength: 1,
    maxLength: 8,
  }),
  marked: fc.array(fc.nat({ max: LAST }), { maxLength: 3 }),
});

const aPeriod = fc.record({
  from: fc.option(fc.nat({ max: LAST })),
  to: fc.option(fc.nat({ max: LAST })),
});

describe('the total of a history', () => {
  const api = useApi();
  const client = useClient(api);
  const { database } = api;
  const places: number[] = [];
  let assets = 0;

  before(async () => {
    for (let place = 0; place < 3; place++) {
      places.push((await client.make('locations')).id);
    }
  });

  const anAsset = async () => {
    const value = `crate-${++assets}`;
    const { id } = await client.make('assets', { tags: [{ tag_type: 'rfid', value }] });
    const scan = (second: number, place: number): Scan =>
      aRead({
        orgId: client.api.orgId,
        readerId: 1 + place,
        value,
        locationId: places[place] ?? 0,
        at: START + second * SECOND,
      });
    return { id, scan };
  };
  const time = (second: number) => new Date((START + second * SECOND) / 1_000).toISOString();
  const mark = (id: number, seconds: readonly number[]) =>
    database.rows('select mark_histories(array_fill($1::integer, $3), array_fill($2::integer, $3), $4)', [
      client.api.orgId,
      id,
      [seconds.length],
      seconds.map(time),
    ]);
  const expectTotals = async (id: number, periods: readonly { from: number | null; to: number | null }[]) => {
    const stored = await database.rows<{ observed_at: Date }>(
      'select observed_at from location_transitions where asset_id = $1',
      [id],
    );
    const seconds = stored.map((row) => (new Date(row.observed_at).getTime() - START / 1_000) / 1_000);
    for (const { from, to } of periods) {
      const query = [
        ...(from === null ? [] : [`from=${time(from)}`]),
        ...(to === null ? [] : [`to=${time(to)}`]),
      ];
      const answer = await client.get(`/assets/${id}/history?limit=1&${query.join('&')}`);
      const within = seconds.filter((second) => second >= (from ?? 0) && second <= (to ?? LAST));
      expect(answer.body?.total_count, query.join()).to.equal(within.length);
    }
  };
  /** Rows that somebody adds or removes who knows nothing of marks, as the last release does. */
  const others = async (id: number) => {
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, $2, time_of_micros($3) + n * interval '3.5 seconds', $4, 1
       from generate_series(0, 10) n join positions position on position.asset_id = $2
       where time_of_micros($3) + n * interval '3.5 seconds' < position.last_seen
       on conflict (org_id, asset_id, observed_at) do update set location_id = excluded.location_id`,
      [client.api.orgId, id, START, places[0]],
    );
    await database.rows(
      `delete from location_transitions where asset_id = $1 and extract(second from observed_at)::integer % 3 = 0`,
      [id],
    );
  };

  itByNight('is exact for every period, whatever is recorded late by two at once, and by whom', async () => {
    const steps = fc.array(aStep, { minLength: 1, maxLength: 6 });
    const periods = fc.array(aPeriod, { minLength: 4, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(steps, steps, periods, fc.boolean(), async (ones, twos, asked, isMixed) => {
        const { id, scan } = await anAsset();
        const write = async (plan: typeof ones) => {
          for (const { reads, marked } of plan) {
            await record(
              database,
              reads.map(({ second, place }) => scan(second, place)),
            );
            const held = await database.pool.connect();
            try {
              await held.query('begin');
              await held.query('select from positions where asset_id = $1 for no key update', [id]);
              await held.query(
                'select mark_histories(array_fill($1::integer, $3), array_fill($2::integer, $3), $4)',
                [client.api.orgId, id, [marked.length], marked.map(time)],
              );
              await held.query('commit');
            } finally {
              held.release();
            }
          }
        };
        await Promise.all([write(ones), write(twos)]);
        if (isMixed) {
          await others(id);
        }
        const all = [...asked, { from: null, to: null }];
        await expectTotals(id, all);
        await mark(id, [7, 20, 33]);
        await write(ones);
        await expectTotals(id, all);
      }),
      { numRuns: 40 },
    );
  });

  it('is kept by recording, for stretches of some hundred moves, also of late ones', async () => {
    const { id, scan } = await anAsset();
    const moves = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => scan((from + n) * 0.001, n % 2));
    for (const from of [20_000, 25_000, 0, 5_000]) {
      for (let batch = 0; batch < 5; batch++) {
        await record(database, moves(from + batch * 1_000, 1_000));
      }
    }
    const marks = await database.rows<{ stays: number }>(
      'select stays from history_marks where asset_id = $1',
      [id],
    );
    expect(marks.length).to.be.within(15, 80);
    expect(marks.reduce((sum, { stays }) => sum + stays, 0)).to.be.within(15_000, 20_000);
    expect((await client.get(`/assets/${id}/history`)).body?.total_count).to.equal(20_000);
    await database.rows('select recount_histories()');
    expect((await client.get(`/assets/${id}/history`)).body?.total_count).to.equal(20_000);
  });
});
