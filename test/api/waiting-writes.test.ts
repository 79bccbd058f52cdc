import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { WAITING_PER_ORGANIZATION } from '../../db/timescale/connections/scanning-connections.ts';
import { useApi } from '../support/api.ts';
import { useClient } from '../support/contract-client.ts';
import type { Answer } from '../support/declared-answer.ts';

/** More than a process has connections, of which some have writes under way. */
const MORE = 20;

/** Creates wait for whether somebody else commits an asset of the same key. */
describe('writes that wait', () => {
  const api = useApi();
  const ours = useClient(api);
  const theirs = useClient(api);
  let other: pg.Client;

  before(async () => {
    other = new pg.Client(connectionConfig(api.database.url, 'other'));
    await other.connect();
    api.database.beforeDrop(() => other.end());
  });
  beforeEach(async () => {
    await other.query('begin');
    await other.query(`insert into assets (org_id, external_key, name) values ($1, 'HELD', 'Held')`, [
      ours.api.orgId,
    ]);
  });
  afterEach(() => other.query('rollback'));

  it('say that they were cancelled, and not how to ask for less', async () => {
    const { body } = await ours.post('/locations', { name: 'Dock' });
    await other.query('select from locations where id = $1 for key share', [body?.data.id]);
    const deleting = ours.remove(`/locations/${body?.data.id}`);
    // As the time limit does.
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'locations'`;
    while ((await api.database.rows(cancel)).length === 0);
    const answer = await deleting;
    expect(answer.status).to.equal(503);
    expect(answer.body?.error).to.include({
      type: 'query_timeout',
      detail:
        'The change took too long, or waited too long for recorded scans, and was cancelled; try again later',
    });
    await other.query('rollback');
    expect((await ours.remove(`/locations/${body?.data.id}`)).status).to.equal(204);
  });

  it('are refused with 503 and when to ask again beyond a bound, and others write at once', async () => {
    const answers: Answer[] = [];
    const creates = Array.from({ length: WAITING_PER_ORGANIZATION + MORE }, async () => {
      answers.push(await ours.post('/assets', { external_key: 'HELD', name: 'Any' }));
    });
    while (answers.length < MORE / 2) {
      expect((await theirs.post('/assets', { name: 'Any' })).status).to.equal(201);
    }
    for (const { status, body, headers } of answers) {
      expect(status).to.equal(503);
      expect(body?.error).to.include({
        type: 'query_timeout',
        title: 'Query timed out',
        detail: 'Too many requests of the organization are waiting; send fewer at once, or try again later',
      });
      expect(headers.get('retry-after')).to.equal('5');
    }
    await other.query('rollback');
    await Promise.all(creates);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    // Nothing was lost, and nothing done twice.
    expect(count(201)).to.equal(1);
    expect(count(201) + count(409) + count(503)).to.equal(creates.length);
    expect(count(503)).to.be.below(MORE);
    const rows = await api.database.rows('select from assets where org_id = $1', [ours.api.orgId]);
    expect(rows).to.have.length(1);
  });
});
