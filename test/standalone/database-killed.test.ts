import { expect } from 'chai';
import pg from 'pg';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { embeddedPostmaster, runningEmbeddedUrl } from '../../db/timescale/embedded/server.ts';
import { EMBEDDED_DATABASE } from '../../services/standalone/database.ts';
import { type KillableProgram, startKillable } from '../support/killable-program.ts';
import { itByNight } from '../support/random-sets.ts';
import { until } from '../support/subscribed-ingest.ts';

/**
 * Milliseconds from the end of the database until the program works again, or has ended: ten times what is promised, as the
 * machine may be busy.
 */
const PATIENCE = 100_000;

describe('everything in one process, and its database ends', () => {
  let program: KillableProgram;

  beforeEach(async () => {
    program = await startKillable();
  });
  afterEach(() => program?.remove());

  const key = () => /tt_\w{26}_[\w-]{43}/.exec(program.stdout())?.[0] ?? '';
  const call = (path: string, body?: object) =>
    fetch(`${program.api()}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { Authorization: `Bearer ${key()}`, 'Content-Type': 'application/json' },
    });
  const backs = () => program.stdout().split('Embedded database is back').length;
  const names = async () =>
    ((await (await call('/api/v1/locations')).json()) as { data: { name: string }[] }).data.map(
      ({ name }) => name,
    );

  it('works again, with all its data, when it is killed, stopped by somebody else, or one of its processes is killed', async () => {
    expect((await call('/api/v1/locations', { name: 'Dock' })).status).to.equal(201);
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const { ms, ended } = await program.endDatabase(signal);
      expect(ended, program.stderr()).to.equal(null);
      expect(ms).to.be.below(PATIENCE);
      expect(await names()).to.include('Dock');
      expect((await call('/api/v1/locations', { name: `After ${signal}` })).status).to.equal(201);
    }
    const client = new pg.Client(withDatabase(runningEmbeddedUrl(program.data) ?? '', EMBEDDED_DATABASE));
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const before = backs();
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await until(() => backs() > before);
    await until(async () => (await fetch(`${program.api()}/readyz`)).status === 200);
    expect((await call('/api/v1/locations', { name: 'Yard' })).status).to.equal(201);
    expect(await names()).to.have.members(['Dock', 'After SIGKILL', 'After SIGINT', 'Yard']);
    program.child.kill('SIGINT');
    expect(await program.ended).to.equal(0);
    expect(embeddedPostmaster(program.data)?.isAlive ?? false).to.equal(false);
  });

  it('ends with status 1 and says why when it is killed and cannot be started again', async () => {
    expect(await program.killForGood()).to.be.below(PATIENCE);
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.match(/^The embedded database has ended and is not started again: /);
  });

  itByNight('ends with status 1 and says why when it is killed again and again', async () => {
    let isOver = false;
    const ended = program.ended.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const before = backs();
      process.kill(program.postmaster(), 'SIGKILL');
      await until(() => isOver || backs() > before);
    }
    expect(await ended).to.equal(1);
    expect(program.stderr()).to.match(
      /^The embedded database has ended .* it ended 6 times within 10 minutes/,
    );
  });
});
