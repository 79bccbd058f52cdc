import { expect } from 'chai';
import { DatabaseUnavailable } from '../../base/errors.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { Insight } from '../../services/api/serving/insight.ts';
import { useDatabase } from '../support/database.ts';

describe('the connections for what no organization may see', () => {
  const database = useDatabase();
  let insight: Insight;
  before(() => {
    insight = new Insight(database.url, { applicationName: 'test', timeout: 60_000 });
    database.beforeDrop(() => insight.end());
  });
  const now = (orgId: number) =>
    insight.run(orgId, (db) => db.one(sql.type(rowsOf<{ org: number }>())`select ${orgId}::integer as org`));
  const forHalfAMinute = (orgId: number) =>
    insight
      .run(orgId, (db) => db.any(sql.type(rowsOf<object>())`select pg_sleep(30)`))
      .catch((error: unknown) => error);

  it('are taken from organizations that hold both for long, and later kept for others at once', async () => {
    const both = [forHalfAMinute(1), forHalfAMinute(2)];
    expect(await now(3)).to.deep.equal({ org: 3 });
    const cut = await Promise.race(both);
    expect(cut).to.include({ code: 'timed_out' });
    expect(cut).to.have.property('message').that.contains('while others waited');
    // Each has had much by now: they share one connection.
    const again = [forHalfAMinute(1), forHalfAMinute(2)];
    await Promise.race([...both, ...again]);
    for (let turn = 0; turn < 5; turn++) {
      expect(await now(3)).to.deep.equal({ org: 3 });
    }
  });

  it('are said to be out of reach where they are, which is no fault of ours', async () => {
    const unreachable = new Insight('postgres://127.0.0.1:1/none', {
      applicationName: 'test',
      timeout: 60_000,
    });
    try {
      const asked = unreachable.run(1, (db) => db.any(sql.type(rowsOf<object>())`select`));
      expect(await asked.catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    } finally {
      await unreachable.end();
    }
  });
});
