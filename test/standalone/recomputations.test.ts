import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startRecomputations } from '../../services/standalone/recomputations.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('everything in one process', () => {
  const database = useDatabase();

  it('computes anew, beside all else, what an upgrade left to compute', async () => {
    const { orgId } = await Site.create(database);
    await database.rows('insert into history_recomputations (org_id) values ($1)', [orgId]);
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    await startRecomputations(database.url, log, lifecycle);
    const isFinished = async () => {
      const rows = await database.rows(
        'select from history_recomputations where org_id = $1 and finished_at is not null',
        [orgId],
      );
      return rows.length === 1;
    };
    while (!(await isFinished())) {
      // Asked again; the suite's time limit is the bound.
    }
    await lifecycle.stop();
    expect(await isFinished()).to.equal(true);
  });
});
