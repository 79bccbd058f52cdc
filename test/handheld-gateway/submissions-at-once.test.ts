import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { MAX_HELD_BY_ORGANIZATION as MAX_HELD } from '../../services/handheld-gateway/recording/turns.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import type { Answer } from '../support/declared-by.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';
import { LOCKS_HERE } from '../support/until-waiting.ts';

describe('many submissions at once', () => {
  const gateway = useGateway();

  it('are held up to a bound while the database is busy; those beyond are asked to come again', async () => {
    const other = await gateway.database.pool.connect();
    const sent: Promise<Answer>[] = [];
    try {
      await other.query('begin');
      await other.query('lock table submissions in access exclusive mode');
      while (sent.length <= MAX_HELD) {
        sent.push(gateway.submit(aSubmission([aScan('E2FF')])));
      }
      const refused = await Promise.race(sent);
      expect(refused.body?.error).to.include({ type: 'unavailable', status: 503 });
      expect(refused.headers.get('retry-after')).to.equal('1');
    } finally {
      await other.query('rollback');
      other.release();
    }
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.lengthOf(MAX_HELD);
    const again = await gateway.submit(aSubmission([aScan('E2FF')]));
    expect(again.status).to.equal(201);
    expect(await gateway.database.rows('select count from unknown_tags')).to.deep.equal([
      { count: MAX_HELD + 1 },
    ]);
  });

  it('of one organization keep no other one waiting, nor large ones its own handhelds', async () => {
    const { database } = gateway;
    const site = await Site.create(database, 'Other');
    await site.asset('OTHER', 'E2AA');
    await gateway.site.asset('OWN', 'E2BB');
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: site.orgId,
      name: 'gun',
    });
    const client = await database.pool.connect();
    const sent: Promise<Answer>[] = [];
    const sendBlocked = async (scans: number) => {
      const before = await waiting();
      for (let number = 0; number < 6; number++) {
        sent.push(gateway.submit(aSubmission(Array.from({ length: scans }, (_, at) => aScan(`E2FF${at}`)))));
      }
      while ((await waiting()) === before) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const waiting = async () =>
      (
        await database.rows(
          `select from ${LOCKS_HERE} lock where relation = 'unknown_tags'::regclass and not granted`,
        )
      ).length;
    try {
      await client.query('begin');
      await client.query('lock table unknown_tags in exclusive mode');
      await sendBlocked(300);
      expect((await gateway.submit(aSubmission([aScan('E2BB')]))).status).to.equal(201);
      await sendBlocked(1);
      expect((await gateway.submit(aSubmission([aScan('E2AA')]), { token })).status).to.equal(201);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).to.deep.equal(new Set([201]));
  });
});
