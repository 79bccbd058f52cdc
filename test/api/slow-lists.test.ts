import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { apiConfig, useApi } from '../support/api.ts';
import { useClient } from '../support/contract-client.ts';

const MINUTE = 60_000;

/** Histories are held up by a lock on their table, which look-ups of assets do not read. */
describe('lists that take long', () => {
  // However slowly the test looks, no list gives up meanwhile.
  const api = useApi({ QUERY_TIMEOUT_MS: MINUTE });
  const ours = useClient(api);
  const theirs = useClient(api);
  let impatient: string;
  let locker: pg.Client;
  let ourHistory: string;
  let theirAsset: string;

  before(async () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    const config = { ...apiConfig(api.database.url), QUERY_TIMEOUT_MS: 1_000 };
    impatient = (await startApi(config, pino({ level: 'silent' }), lifecycle)).url;
    locker = new pg.Client(connectionConfig(api.database.url, 'locker'));
    await locker.connect();
    api.database.beforeDrop(async () => {
      await locker.end();
      await lifecycle.stop();
    });
    ourHistory = `/assets/${(await ours.make('assets')).id}/history`;
    theirAsset = `/assets/${(await theirs.make('assets')).id}`;
  });

  const { lapse } = expensiveTurns;

  beforeEach(async () => {
    await locker.query('begin');
    await locker.query('lock table location_transitions in access exclusive mode');
  });
  afterEach(async () => {
    expensiveTurns.lapse = lapse;
    await locker.query('rollback');
  });

  /** On the connections for lists: what is sent among the look-ups first gives up there by itself. */
  const held = async () =>
    (await api.database.rows(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and application_name = 'tagtrail api lists'`,
    )) as object[];

  /** Resolves when so many histories are held up in the database. */
  async function untilHeld(count: number): Promise<void> {
    while ((await held()).length !== count) {
      // The database is asked again.
    }
  }

  it('run one at a time for an organization; what others ask for goes on', async () => {
    expensiveTurns.lapse = MINUTE;
    const lists = Array.from({ length: 60 }, () => ours.get(ourHistory));
    await untilHeld(1);
    for (let look = 0; look < 50; look++) {
      expect((await theirs.get(theirAsset)).status).to.equal(200);
      expect((await held()).length).to.equal(1);
    }
    const theirList = theirs.get(`${theirAsset}/history`);
    await untilHeld(2);
    await locker.query('rollback');
    for (const answer of await Promise.all([theirList, ...lists])) {
      expect(answer.status).to.equal(200);
    }
  });

  it('run beside one that takes seconds, and no third beside both', async () => {
    expensiveTurns.lapse = 20;
    const lists = Array.from({ length: 10 }, () => ours.get(ourHistory));
    await untilHeld(2);
    for (let look = 0; look < 20; look++) {
      expect((await held()).length).to.equal(2);
    }
    await locker.query('rollback');
    for (const answer of await Promise.all(lists)) {
      expect(answer.status).to.equal(200);
    }
  });

  it('are answered with 503 and when to ask again, those that wait too', async () => {
    const ask = () =>
      fetch(`${impatient}/api/v1${ourHistory}`, { headers: { Authorization: `Bearer ${ours.api.key}` } });
    const answers = await Promise.all(Array.from({ length: 3 }, ask));
    for (const response of answers) {
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('5');
      expect(response.headers.get('x-ratelimit-remaining')).to.match(/^\d+$/);
      const body = JSON.parse(await response.text());
      expect(body.error).to.include({ type: 'query_timeout', title: 'Query timed out', status: 503 });
      expect(Object.keys(body.error)).to.deep.equal([
        'type',
        'title',
        'status',
        'detail',
        'instance',
        'request_id',
      ]);
    }
    await locker.query('rollback');
    expect((await ask()).status).to.equal(200);
  });

  it('are cancelled when nobody waits for them any more', async () => {
    const hangingUp = new AbortController();
    const asked = Array.from({ length: 20 }, () =>
      fetch(`${api.url}/api/v1${ourHistory}`, {
        headers: { Authorization: `Bearer ${ours.api.key}` },
        signal: hangingUp.signal,
      }).catch((error: unknown) => error),
    );
    await untilHeld(1);
    hangingUp.abort();
    await Promise.all(asked);
    await untilHeld(0);
    // Nothing is left that would have its turn.
    const next = ours.get(ourHistory);
    await untilHeld(1);
    await locker.query('rollback');
    expect((await next).status).to.equal(200);
  });
});
