import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { ImportTurns } from '../../../services/api/serving/import-turns.ts';
import { expectProblem, useApi } from '../../support/api.ts';
import type { Answer } from '../../support/declared-answer.ts';

/** Imports, and creates, wait for whether somebody else commits an asset of the same key. */
describe('imports of several organizations', () => {
  const api = useApi();
  let other: pg.Client;

  before(async () => {
    other = new pg.Client(connectionConfig(api.database.url, 'other'));
    await other.connect();
    api.database.beforeDrop(() => other.end());
  });
  beforeEach(() => other.query('begin'));
  afterEach(() => other.query('rollback'));

  async function importer() {
    const { key, orgId } = await api.organization();
    const send = (csv: string): Promise<Answer> =>
      api.call({
        method: 'POST',
        path: '/api/v1/assets/bulk',
        key,
        body: `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${csv}\r\n--b--\r\n`,
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      });
    const sendHeld = () => send('external_key,name\nHELD,Any');
    const create = () =>
      api.call({ method: 'POST', path: '/api/v1/assets', key, json: { external_key: 'HELD', name: 'Any' } });
    const hold = () =>
      other.query(`insert into assets (org_id, external_key, name) values ($1, 'HELD', 'Held')`, [orgId]);
    return { send, sendHeld, create, hold };
  }

  async function untilWaiting(count: number): Promise<void> {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await api.database.rows(waiting)).length < count);
  }

  it('run two at a time, and the next has its turn when one of them ends', async () => {
    const [one, two, three] = [await importer(), await importer(), await importer()];
    await one.hold();
    await two.hold();
    const held = [one.sendHeld(), two.sendHeld()];
    await untilWaiting(2);
    const next = [three.send('name\nA'), three.send('name\nB')];
    // Of the third organization's two, one is refused because the other one waits.
    expectProblem(await Promise.race(next), 'conflict');
    await other.query('rollback');
    const answers = await Promise.all([...held, ...next]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 200, 200, 409]);
  });

  it('do not wait for a second import of an organization whose writes are held up', async () => {
    const [ours, theirs] = [await importer(), await importer()];
    await ours.hold();
    const held = [ours.sendHeld()];
    await untilWaiting(1);
    // As many transactions as an organization may have under way.
    held.push(ours.create(), ours.create());
    await untilWaiting(3);
    const second = ours.send('name\nA');
    expect((await theirs.send('name\nA')).status).to.equal(200);
    expectProblem(await second, 'conflict');
    await other.query('rollback');
    const answers = await Promise.all(held);
    expect(answers.map(({ status }) => status)[0]).to.equal(200);
  });

  it('take turns within an API, and not with those of another one in the process', async () => {
    const [own, others] = [new ImportTurns(), new ImportTurns()];
    const { signal } = new AbortController();
    const answers = own.run(
      1,
      () => {
        const again = own.run(1, async () => {}, signal).catch(({ code }) => code);
        return Promise.all([again, others.run(1, async () => 'run', signal)]);
      },
      signal,
    );
    expect(await answers).to.deep.equal(['conflict', 'run']);
  });
});
