import { expect } from 'chai';
import { MAX_HELD } from '../../services/handheld-gateway/submissions/record-submission.ts';
import type { Answer } from '../support/declared-by.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from './new-submission.ts';

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
});
