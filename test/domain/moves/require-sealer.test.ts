import { expect } from 'chai';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { elect } from '../../../db/timescale/connections/elected.ts';
import { requireSealer } from '../../../domain/moves/require-sealer.ts';
import { SEALING } from '../../../domain/moves/sealing/sealing-session.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('the check for a sealer of the move feed', () => {
  const database = useDatabase();

  it('fails while events wait for long and nobody seals, whoever else is set aside', async () => {
    const { orgId } = await Site.create(database);
    const db = databaseOn(database.pool);
    const said = (late?: number) =>
      requireSealer(db, late).then(
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
    const fault = 'events of the move feed wait, and no process seals them';
    expect(await said()).to.equal(fault);
    const other = await database.pool.connect();
    await other.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.sealing]);
    expect(await said(), 'a session that seals nothing has the lock').to.equal(fault);
    await other.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.sealing]);
    other.release();
    const sealer = await elect(database.url, ADVISORY_LOCKS.sealing, SEALING);
    expect(await said(), 'a sealer that has just begun').to.equal(fault);
    expect(await said(0), 'a sealer that has lasted').to.equal('ok');
    await sealer?.leave();
    const sealedBefore = (seconds: number) =>
      database.rows(
        `insert into move_heads (org_id, head, sealed_at, complete_since)
         values ($1, 1, clock_timestamp() - make_interval(secs => $2), now())
         on conflict (org_id) do update set sealed_at = excluded.sealed_at`,
        [orgId, seconds],
      );
    await sealedBefore(1);
    expect(await said(), 'events are sealed').to.equal('ok');
    await sealedBefore(60);
    expect(await said()).to.equal(fault);
    await database.rows("insert into sealing_faults (org_id, reason) values ($1, 'a bug')", [orgId]);
    expect(await said()).to.equal('ok');
  });
});
