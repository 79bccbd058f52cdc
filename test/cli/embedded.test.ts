import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { readPostmaster } from '../../db/timescale/embedded/postmaster.ts';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { EMBEDDED_DATABASE } from '../../services/standalone/database.ts';
import { runCommand } from '../support/command-line.ts';
import { useDataFolders } from '../support/embedded-folder.ts';
import { freePort } from '../support/free-port.ts';
import { type Program, run } from '../support/process.ts';
import { itByNight, randomSets } from '../support/random-sets.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('commands on the embedded database', () => {
  const folders = useDataFolders();
  const cluster = (data: string) => join(data, 'postgres/cluster');
  const isRunning = (data: string) => readPostmaster(cluster(data))?.isAlive === true;
  const used = new Set<string>();
  after(() => {
    for (const data of used) {
      const server = readPostmaster(cluster(data));
      if (server?.isAlive === true) {
        process.kill(server.pid, 'SIGQUIT');
        execFileSync('tail', [`--pid=${server.pid}`, '-f', '/dev/null']);
      }
    }
  });
  const folder = (name: string) => {
    const data = folders.path(name);
    used.add(data);
    return data;
  };
  /** As `npm start` leaves it if it is killed at once. */
  const made = async (name: string) => {
    const data = folder(name);
    await (await startEmbedded({ data, durable: true })).stop();
    return data;
  };
  const command = (data: string, ...args: string[]) =>
    run('services/cli/tagtrail.ts', args, { TAGTRAIL_DATA: data });
  const create = (data: string, name: string) => command(data, 'org', 'create', '--name', name, '--json');
  async function expectDone(programs: readonly Program[]) {
    const ends = await Promise.all(
      programs.map(async (program) => ({ status: await program.ended, stderr: program.stderr() })),
    );
    expect(ends).to.deep.equal(programs.map(() => ({ status: 0, stderr: '' })));
  }
  async function names(data: string): Promise<string[]> {
    const list = command(data, 'org', 'list', '--json');
    await expectDone([list]);
    return JSON.parse(list.stdout()).map(({ name }: { name: string }) => name);
  }

  it('make none: they say where they looked, and what to set', async () => {
    const data = folder('none');
    for (const args of [['org', 'list'], ['migrate'], ['org', 'create', '--name', 'One']]) {
      const { status, stdout, stderr } = await runCommand(args, { TAGTRAIL_DATA: data });
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.equal(
        `There is no database in TAGTRAIL_DATA, ${data}; set TAGTRAIL_DATA to the data folder of npm start, or DATABASE_URL to the address of another database\n`,
      );
    }
    expect(existsSync(data)).to.equal(false);
  });

  it('share a new one, and the last one stops it', async () => {
    const data = await made('fresh');
    const wanted = Array.from({ length: Math.max(3, randomSets(6)) }, (_, index) => `Org ${index}`);
    await expectDone(wanted.map((name) => create(data, name)));
    expect(isRunning(data)).to.equal(false);
    expect((await names(data)).sort()).to.deep.equal(wanted);
  });

  itByNight('come and go, are interrupted and killed, and none of the others notices', async () => {
    const data = await made('restless');
    const done: string[] = [];
    for (let round = 1; round <= 2; round++) {
      const wanted = ['a', 'b', 'c', 'd'].map((letter) => `${letter} ${round}`);
      const programs = wanted.map((name) => create(data, name));
      const interrupted = command(data, 'org', 'list');
      const killed = command(data, 'org', 'list');
      // Each is ended somewhere else on its way: the first that is done tells when.
      await Promise.race(programs.map(({ ended }) => ended));
      killed.child.kill('SIGKILL');
      interrupted.child.kill('SIGINT');
      await expectDone(programs);
      await Promise.all([killed.ended, interrupted.ended]);
      done.push(...wanted);
    }
    expect((await names(data)).sort()).to.deep.equal(done.sort());
    expect(isRunning(data)).to.equal(false);
  });

  it('share it with npm start, whichever ends first', async () => {
    const data = await made('beside');
    const earlier = ['x', 'y'].map((name) => create(data, name));
    const everything = run('services/standalone/main.ts', [], {
      TAGTRAIL_DATA: data,
      API_PORT: String(await freePort()),
      MQTT_PORT: String(await freePort()),
      HANDHELD_PORT: String(await freePort()),
      CONSOLE_PORT: String(await freePort()),
      READERS_PORT: String(await freePort()),
    });
    await expectDone(earlier);
    await everything.printed('tagtrail is running');
    expect(isRunning(data)).to.equal(true);
    const server = await startEmbedded({ data, durable: true });
    everything.child.kill('SIGINT');
    expect(await everything.ended).to.equal(0);
    expect(isRunning(data)).to.equal(true);
    await expectDone([create(data, 'z')]);
    expect(await names(data)).to.include.members(['x', 'y', 'z']);
    await server.stop();
    expect(isRunning(data)).to.equal(false);
  });

  itByNight(
    'leave the server to an npm start of a version that did not share it, and its schema alone',
    async () => {
      const data = await made('older');
      await expectDone([create(data, 'one')]);
      const server = await startEmbedded({ data, durable: true });
      const older = new pg.Client(connectionConfig(withDatabase(server.url, EMBEDDED_DATABASE)));
      await older.connect();
      await older.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.occupation]);
      await server.stop();
      expect(isRunning(data)).to.equal(true);
      await older.query(
        `update schema_migrations set name = 'functions-older' where name like 'functions-%'`,
      );
      const listing = command(data, 'org', 'list');
      expect(await listing.ended).to.equal(1);
      expect(listing.stderr()).to.include('not migrated to this version').and.include('tagtrail migrate');
      expect(isRunning(data)).to.equal(true);
      await older.end();
      await (await startEmbedded({ data, durable: true })).stop();
      expect(isRunning(data)).to.equal(false);
    },
  );

  itByNight('start over what a crash has left, though its process id is another process by now', async () => {
    const data = await made('crashed');
    await expectDone([create(data, 'before')]);
    const sleeper: ChildProcess = spawn('sleep', ['300']);
    await once(sleeper, 'spawn');
    const server = await startEmbedded({ data, durable: true });
    const lock = join(cluster(data), 'postmaster.pid');
    const left = readFileSync(lock, 'utf8').replace(/^\d+/, String(sleeper.pid));
    await server.stop();
    writeFileSync(lock, left, { mode: 0o600 });
    execFileSync('chown', ['--reference', cluster(data), lock]);
    expect(await names(data)).to.deep.equal(['before']);
    sleeper.kill('SIGKILL');
    expect(isRunning(data)).to.equal(false);
  });

  it('sign in as no superuser, and leave no server behind when they are interrupted', async () => {
    const data = await made('interrupted');
    await expectDone([create(data, 'one')]);
    const server = await startEmbedded({ data, durable: true });
    const other = new pg.Client(connectionConfig(withDatabase(server.url, EMBEDDED_DATABASE)));
    other.on('error', () => {});
    await other.connect();
    await other.query('begin; lock table organizations');
    const waiting = create(data, 'never');
    const isWaiting = async () =>
      (await other.query(`select from pg_locks where not granted`)).rowCount === 1;
    await until(isWaiting);
    const { rows } = await other.query(
      `select usename, rolsuper from pg_stat_activity join pg_roles on rolname = usename
       where wait_event_type = 'Lock'`,
    );
    expect(rows).to.deep.equal([{ usename: 'tagtrail_processes', rolsuper: false }]);
    await server.stop();
    expect(isRunning(data)).to.equal(true);
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).to.equal(130);
    expect(waiting.stdout()).to.equal('');
    const message = 'Interrupted; what was under way is taken back';
    expect(JSON.parse(waiting.stderr())).to.deep.equal({ error: { code: 'unavailable', message } });
    expect(isRunning(data)).to.equal(false);
    expect(await names(data)).to.deep.equal(['one']);
  });
});
