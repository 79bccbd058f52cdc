import { expect } from 'chai';
import { expectIssues, useApi } from '../../support/api.ts';

describe('a report that takes too long', () => {
  const api = useApi({ QUERY_TIMEOUT_MS: 100 });

  it('is refused with the advice to ask for a narrower window, and holds nothing up', async () => {
    const path = '/api/v1/reports/dwell?from=2020-05-01T00:00:00Z&to=2020-06-01T00:00:00Z';
    const client = await api.database.pool.connect();
    try {
      // As if there were more to read than can be.
      await client.query('begin');
      await client.query('lock table location_transitions in access exclusive mode');
      const answer = await api.call({ path });
      expectIssues(answer, [['from', 'invalid_value']]);
      expect(answer.body?.error?.detail).to.match(/took too long .* narrower window/);
      const known = await api.call({ path: `${path}&known_at=${new Date().toISOString()}` });
      expectIssues(known, [['known_at', 'invalid_value']]);
      expect(known.body?.error?.detail).to.match(/took too long .* name assets/);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await api.call({ path })).status).to.equal(200);
  });
});
