import { expect } from 'chai';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { useConsole } from '../support/console.ts';
import { encodePng } from '../support/png.ts';
import { untilWaiting } from '../support/until-waiting.ts';

const PNG = encodePng({ width: 4, height: 3, palette: [[255, 255, 255]], pixels: new Uint8Array(12) });

describe('expensive requests to the console', () => {
  const suite = useConsole();
  const { call, database } = suite;
  let neighbour: string;
  const { lapse } = expensiveTurns;
  before(async () => {
    // A slow machine must not end a turn before the test has looked.
    expensiveTurns.lapse = 600_000;
    neighbour = await suite.as('operator', await suite.people.organization('Neighbour'));
    await database.rows(
      `insert into assets (org_id, external_key, name) select $1, 'A-' || n, 'A' from generate_series(1, 600) n`,
      [suite.orgId],
    );
  });
  after(() => {
    expensiveTurns.lapse = lapse;
  });

  /** Runs `work` while nobody else can use the table; what asks for it waits at the database. */
  async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
    const client = await database.pool.connect();
    try {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      await work();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
  async function untilInTurn(waiting: number): Promise<void> {
    while (expensiveTurns.waiting(suite.orgId) !== waiting) {
      await new Promise(setImmediate);
    }
  }
  async function waitingAtDatabase(): Promise<number> {
    const rows = await database.rows(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  }
  const answersNeighbour = async () => {
    expect((await call({ path: '/locations', token: neighbour })).status).to.equal(200);
    const made = await call({ method: 'POST', path: '/locations', json: { name: 'Dock' }, token: neighbour });
    expect(made.status, made.text).to.equal(201);
  };
  const upload = (path: string, body: Uint8Array | string, type: string, signal?: AbortSignal) =>
    fetch(`${suite.url}/console/v1${path}`, {
      method: 'POST',
      headers: {
        ...{ Cookie: `tagtrail_session=${suite.token}`, Origin: suite.url },
        ...{ 'X-Tagtrail-Console': '1', 'Content-Type': type },
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  const addPlan = (signal?: AbortSignal) => upload('/plans?name=Plan', PNG, 'image/png', signal);
  const addFile = () => upload('/imports?resource=asset&file_name=a.csv', 'name\nPallet\n', 'text/csv');

  it('have one upload of an organization at the database, and others answered meanwhile', async () => {
    let uploads: Promise<Response>[] = [];
    await whileLocked('plans', async () => {
      const first = addPlan();
      await untilWaiting(database, 1);
      uploads = [first, ...Array.from({ length: 12 }, () => addPlan()), addFile()];
      await untilInTurn(13);
      await answersNeighbour();
      expect(await waitingAtDatabase()).to.equal(1);
    });
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses).to.deep.equal(Array(14).fill(201));
  });

  it('give up the place of an upload whose sender goes away', async () => {
    const before = (await call({ path: '/plans' })).body.data.length;
    let kept: Promise<Response>[] = [];
    await whileLocked('plans', async () => {
      const first = addPlan();
      await untilWaiting(database, 1);
      const leaving = new AbortController();
      const left = Promise.allSettled(Array.from({ length: 3 }, () => addPlan(leaving.signal)));
      await untilInTurn(3);
      kept = [first, addPlan()];
      await untilInTurn(4);
      leaving.abort();
      await left;
      await untilInTurn(1);
    });
    await Promise.all(kept);
    expect((await call({ path: '/plans' })).body.data).to.have.length(before + 2);
  });

  it('have one piece of an export of an organization made at a time, and others answered meanwhile', async () => {
    let exports: Promise<{ status: number; text: string }>[] = [];
    await whileLocked('assets', async () => {
      exports = Array.from({ length: 10 }, () => call({ path: '/exports/assets' }));
      await untilWaiting(database, 1);
      await untilInTurn(3);
      await answersNeighbour();
      expect(await waitingAtDatabase()).to.equal(1);
    });
    const answers = await Promise.all(exports);
    const whole = answers.filter(({ status }) => status === 200);
    expect(whole.map(({ text }) => text.split('\r\n').length)).to.deep.equal(Array(4).fill(602));
    expect(answers.filter(({ status }) => status === 503)).to.have.length(6);
    expect((await call({ path: '/exports/assets' })).status).to.equal(200);
  });
});
