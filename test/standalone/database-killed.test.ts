import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { embeddedPostmaster, runningEmbeddedUrl } from '../../db/timescale/embedded/server.ts';
import { EMBEDDED_DATABASE } from '../../services/standalone/database.ts';
import { type Program, run } from '../support/process.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('everything in one process, and its database ends', function () {
  this.timeout(120_000);
  let data: string;
  let program: Program;

  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'tagtrail-killed-'));
    chmodSync(data, 0o711);
    program = run('services/standalone/main.ts', [], {
      TAGTRAIL_DATA: data,
      API_PORT: '0',
      MQTT_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
    });
    await program.printed('Try it');
  });
  afterEach(async () => {
    program.child.kill('SIGINT');
    await program.ended;
    const left = embeddedPostmaster(data);
    if (left?.isAlive === true) {
      process.kill(left.pid, 'SIGQUIT');
      await until(() => embeddedPostmaster(data)?.isAlive !== true);
    }
    rmSync(data, { recursive: true, force: true });
  });

  const pid = () => embeddedPostmaster(data)?.pid ?? 0;
  const api = () => /http:\S+(?=\/api\/v1)/.exec(program.stdout())?.[0] ?? '';
  const key = () => /tt_\w{26}_[\w-]{43}/.exec(program.stdout())?.[0] ?? '';
  const call = (path: string, body?: object) =>
    fetch(`${api()}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { Authorization: `Bearer ${key()}`, 'Content-Type': 'application/json' },
    });
  const isReady = async () => (await fetch(`${api()}/readyz`)).status === 200;
  const names = async () =>
    ((await (await call('/api/v1/locations')).json()) as { data: { name: string }[] }).data.map(
      ({ name }) => name,
    );
  /** Resolves when a postmaster other than `dead` lets the process work. */
  const isBack = (dead: number) => until(async () => pid() !== dead && (await isReady()));

  for (const [what, signal] of [
    ['killed', 'SIGKILL'],
    ['stopped by somebody else', 'SIGINT'],
  ] as const) {
    it(`works again, with all its data, when it is ${what}`, async () => {
      expect((await call('/api/v1/locations', { name: 'Dock' })).status).to.equal(201);
      const dead = pid();
      process.kill(dead, signal);
      await isBack(dead);
      expect(await names()).to.deep.equal(['Dock']);
      expect((await call('/api/v1/locations', { name: 'Yard' })).status).to.equal(201);
      program.child.kill('SIGINT');
      expect(await program.ended).to.equal(0);
      expect(embeddedPostmaster(data)?.isAlive ?? false).to.equal(false);
    });
  }

  it('works again when a process of the database is killed', async () => {
    const client = new pg.Client(withDatabase(runningEmbeddedUrl(data) ?? '', EMBEDDED_DATABASE));
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await until(() => program.stdout().includes('Embedded database is back'));
    await until(isReady);
    expect((await call('/api/v1/locations', { name: 'Dock' })).status).to.equal(201);
  });

  it('ends with status 1 and says why when it is killed again and again', async () => {
    let isOver = false;
    const ended = program.ended.finally(() => {
      isOver = true;
    });
    const backs = () => program.stdout().split('Embedded database is back').length;
    while (!isOver) {
      const before = backs();
      process.kill(pid(), 'SIGKILL');
      await until(() => isOver || backs() > before);
    }
    expect(await ended).to.equal(1);
    expect(program.stderr()).to.match(
      /^The embedded database has ended .* it ended 6 times within 10 minutes/,
    );
  });
});
