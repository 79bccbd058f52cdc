import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { MeasuredLists } from '../support/measured-lists.ts';

const ASSETS = '/api/v1/assets';
const PAGE = 50;

describe('a page of assets', () => {
  const api = useApi();

  before(async () => {
    const give = (text: string, ...values: unknown[]) => api.database.rows(text, [api.orgId, ...values]);
    await give(
      `insert into assets (org_id, external_key, name, description, metadata, valid_to)
       select $1, 'A-' || lpad(n::text, 4, '0'), case n % 3 when 0 then 'Kran "' || n || '" \\ ä' else 'Crane ' || n end,
         case when n % 2 = 0 then E'two\\nlines\\u2028' end, '{"weight": 1.50}', case when n % 5 = 0 then now() + interval '1 day' end
       from generate_series(1, 2000) n`,
    );
    await give(
      `insert into locations (org_id, external_key, name) select $1, 'L-' || n, 'x' from generate_series(1, 9) n`,
    );
    await give(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select $1, asset.id, location.id, now(), now() from assets asset
       left join locations location on location.org_id = $1 and location.external_key = 'L-' || asset.id % 11
       where asset.org_id = $1 and asset.id % 4 <> 0`,
    );
    await give(`update locations set deleted_at = now() where org_id = $1 and external_key = 'L-3'`);
    await give(
      `insert into tags (org_id, asset_id, tag_type, value, tag_key, detached_at)
       select $1, id, (array['rfid', 'barcode', 'ble'])[1 + copy % 3], value, value, case copy when 2 then now() end
       from assets cross join generate_series(1, 4) copy
       cross join lateral (select 'T"\\/ü-' || copy || '-' || id as value) tag
       where org_id = $1 and copy <= id % 5 order by id`,
    );
    await api.database.rows('vacuum analyze assets, locations, positions, tags');
  });

  it('shows each to the letter as it is shown by itself', async () => {
    const { text, body } = await api.call({ path: `${ASSETS}?limit=200` });
    const each: string[] = [];
    for (const { id } of body?.data ?? []) {
      const { text: one } = await api.call({ path: `${ASSETS}/${id}` });
      each.push(one.slice('{"data":'.length, -1));
    }
    expect(each).to.have.length(200);
    expect(text).to.equal(`{"data":[${each.join()}],"limit":200,"offset":0,"total_count":2000}`);
  });

  for (const after of [undefined, 1_000]) {
    it(`is read in one go, not with look-ups for each asset${after === undefined ? '' : ', far behind the first as well'}`, async () => {
      const lists = await MeasuredLists.connect(api.database.url, api.orgId);
      try {
        const { result, pages } = await lists.assets({ limit: PAGE, after });
        expect(result.rows).to.have.length(PAGE);
        expect(pages).to.be.below(PAGE);
      } finally {
        await lists.end();
      }
    });
  }
});
