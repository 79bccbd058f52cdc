import { expect } from 'chai';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { requireSealer } from '../../../domain/moves/require-sealer.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('the check for a sealer of the move feed', () => {
  const database = useDatabase();

  it('fails while events wait for long and nobody seals, whoever else is set aside', async () => {
    const { orgId } = await Site.create(database);
    const db = databaseOn(database.pool);
    const said = () =>
      requireSealer(db).then(
        () => 'ok',
        (error: Error) => error.message,
      );
    const wait = (seconds: number) =>
      database.rows(
        `insert into unsealed_moves (org_id, kind, recorded_at)
         values ($1, 'test', clock_timestamp() - make_interval(secs => $2))`,
        [orgId, seconds],
      );
    expect(await said()).to.equal('ok');
    await wait(-60);
    expect(await said()).to.equal('ok');
    await wait(60);
    expect(await said()).to.equal(
      'events wait for their positions in the move feed, and no process gives them any',
    );
    const sealer = await database.pool.connect();
    await sealer.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.sealing]);
    expect(await said()).to.equal('ok');
    await sealer.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.sealing]);
    sealer.release();
    await database.rows("insert into sealing_faults (org_id, reason) values ($1, 'a bug')", [orgId]);
    expect(await said()).to.equal('ok');
  });
});
