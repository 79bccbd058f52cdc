import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { useClient } from '../../support/contract-client.ts';

/** Far more than the tests' other rows have. */
const FIRST = 1_000_000;
const LAST = FIRST + 25_000;

describe('reports about the past, in a tree of 25,000 levels', () => {
  const api = useApi();
  const client = useClient(api);
  const day = 'from=2020-05-01T00:00:00Z&to=2020-05-02T00:00:00Z';
  const below = `location_id=${FIRST}&include_descendants=true`;

  before(async () => {
    await api.database.rows(
      `insert into locations (org_id, id, parent_id, external_key, name) overriding system value
       select $1, id, nullif(id - 1, $2 - 1), 'CHAIN-' || id, 'chain' from generate_series($2::integer, $3::integer) id`,
      [client.api.orgId, FIRST, LAST],
    );
    const asset = await client.make('assets', { external_key: 'DEEPEST' });
    await client.scan(asset.id, LAST, '2020-05-01T10:00:00Z');
    await api.database.rows('analyze');
  });

  for (const [path, total] of [
    [`positions-at?at=2020-05-01T12:00:00Z&${below}`, 1],
    [`presence?at=2020-05-01T12:00:00Z&${below}`, 1],
    [`stays?${day}&${below}`, 1],
    [`dwell?${day}&${below}`, 1],
    [`sweeps?${day}&${below}`, 0],
    [`turns?${day}&from_location_id=${FIRST}&to_location_id=${FIRST}&include_descendants=true`, 1],
  ] as const) {
    it(`find the deepest below the first within their time: ${path.split('?')[0]}`, async () => {
      const { status, text, body } = await client.get(`/reports/${path}`);
      expect(status, text).to.equal(200);
      expect(body).to.have.property('total_count', total);
    });
  }
});
