import { expect } from 'chai';
import type { Instant } from '../../../base/timestamps.ts';
import { listTransitions } from '../../../services/api/history/queries.ts';
import type { HistoryFilters } from '../../../services/api/history/schema.ts';
import { useDatabase } from '../../support/database.ts';
import { MeasuredLists } from '../../support/measured-lists.ts';
import { Site } from '../../support/site.ts';

const MANY = 60_000;

describe("a page of an asset's history", () => {
  const database = useDatabase();
  let lists: MeasuredLists;
  let many: number;

  before(async () => {
    const site = await Site.create(database);
    const places = [await site.location('A'), await site.location('B')];
    many = await site.asset('many');
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, $2, timestamptz '2026-01-01Z' + n * interval '4 minutes', $3 + n % 2, 240 from generate_series(1, $4::integer) n`,
      [site.orgId, many, places[0], MANY],
    );
    await database.rows('select recount_histories()');
    await database.rows('analyze');
    lists = await MeasuredLists.connect(database.url, site.orgId);
    database.beforeDrop(() => lists.end());
  });

  const at = (time: string) => ({ instant: `${time}.000000Z` as Instant, isMilliseconds: true });
  const periods: [string, number, Pick<HistoryFilters, 'from' | 'to'>][] = [
    ['whole', MANY, { from: undefined, to: undefined }],
    ['from a time on', 50_280, { from: at('2026-01-28T00:04:00'), to: undefined }],
    ['up to a time', 50_400, { from: undefined, to: at('2026-05-21T00:00:00') }],
    ['of some months', 36_000, { from: at('2026-02-01T00:00:01'), to: at('2026-05-12T00:00:00') }],
    ['of a day', 361, { from: at('2026-03-01T00:00:00'), to: at('2026-03-02T00:00:00') }],
    ['of an hour', 15, { from: at('2026-03-01T00:02:00'), to: at('2026-03-01T01:02:00') }],
  ];
  for (const [which, total, period] of periods) {
    it(`reads few of ${MANY} rows for the page and its total, ${which}`, async () => {
      const filters: HistoryFilters = {
        sort: [{ field: 'event_observed_at', isDescending: true }],
        limit: 50,
        offset: 0,
        known_at: undefined,
        ...period,
      };
      const { result, rows, pages } = await lists.measure((db) => listTransitions(db, many, filters));
      expect(result.totalCount).to.equal(total);
      expect(result.rows).to.have.length(Math.min(50, total));
      expect(rows).to.be.above(50).and.below(4_000);
      expect(pages).to.be.above(3).and.below(600);
    });
  }
});
