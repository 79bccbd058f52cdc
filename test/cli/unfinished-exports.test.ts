import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { COMPILED } from '../support/compiled.ts';
import { type Program, run } from '../support/process.ts';
import { storeStays } from '../support/stored-stays.ts';

describe('an export that cannot be finished', () => {
  const api = useApi();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-exports-'));
  after(() => rmSync(folder, { recursive: true }));
  const exporting = (...more: string[]) => ['export', 'assets', '--org', String(api.orgId), ...more];
  const environment = () => ({ DATABASE_URL: api.database.url });

  const stays = (...more: string[]) => [
    ...['export', 'stays', '--org', String(moved)],
    ...['--from', '2021-01-01T00:00:00Z', '--to', '2021-02-01T00:00:00Z'],
    ...more,
  ];
  let moved: number;

  before(async () => {
    await api.database.rows(
      `insert into assets (org_id, external_key, name)
       select $1, 'P-' || n, repeat('name ', 20) from generate_series(1, 3000) n`,
      [api.orgId],
    );
    moved = (await api.organization()).orgId;
    await storeStays(api.database, moved, { assets: 100, stays: 10 });
  });

  it('leaves the file as it was when it is interrupted, and nothing beside it', async () => {
    const [file, link] = [join(folder, 'assets.csv'), join(folder, 'link.csv')];
    writeFileSync(file, 'the last one\n', { mode: 0o640 });
    symlinkSync(file, link);
    const holder = await api.database.pool.connect();
    await holder.query('begin; lock table assets');
    const program = run('services/cli/tagtrail.ts', exporting('--file', link), environment());
    await untilWaiting(program);
    program.child.kill('SIGINT');
    // It has been told by then, as this takes a round trip to the database.
    await holder.query('select pg_sleep(0.2)');
    await holder.query('rollback');
    holder.release();
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.equal(`Interrupted; ${link} is as it was\n`);
    expect(readFileSync(file, 'utf8')).to.equal('the last one\n');
    expect(readdirSync(folder)).to.have.members(['assets.csv', 'link.csv']);

    const again = run('services/cli/tagtrail.ts', exporting('--file', link), environment());
    expect(await again.ended, again.stderr()).to.equal(0);
    expect(readFileSync(file, 'utf8').split('\r\n')).to.have.length(3002);
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect(readdirSync(folder)).to.have.members(['assets.csv', 'link.csv']);
  });

  it('ends at once when a report is interrupted on which the database still works', async () => {
    const file = join(folder, 'stays.parquet');
    const holder = await api.database.pool.connect();
    try {
      await holder.query('begin; lock table positions');
      const command = stays('--format', 'parquet', '--file', file);
      const program = run('services/cli/tagtrail.ts', command, environment());
      await untilWaiting(program);
      program.child.kill('SIGINT');
      expect(await program.ended).to.equal(1);
      expect(program.stderr()).to.equal(`Interrupted; ${file} is as it was\n`);
      expect(readdirSync(folder).filter((name) => name.startsWith('stays.parquet'))).to.deep.equal([]);
      while ((await waiting()).length > 0);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  for (const [what, kibibytes] of [
    // Of the last piece that is written there is room for a part.
    ['assets', 300],
    ['stays', 50],
  ] as const) {
    it(`leaves the file as it was when the disk is full: ${what}`, async () => {
      const file = join(folder, `full-${what}.csv`);
      writeFileSync(file, 'the last one\n');
      const command = what === 'assets' ? exporting('--file', file) : stays('--file', file);
      const script = `trap '' XFSZ; ulimit -f ${kibibytes}; "$@"`;
      // What is compiled could not be kept either.
      const { said, status } = await inShell(script, command, { NODE_DISABLE_COMPILE_CACHE: '1' });
      expect([status, said.split('\n').length], said).to.deep.equal([1, 2]);
      expect(said).to.match(/^.* cannot be written, and is as it was: EFBIG/);
      expect(readFileSync(file, 'utf8')).to.equal('the last one\n');
      expect(readdirSync(folder).filter((name) => name.includes('.part-'))).to.deep.equal([]);
    });
  }

  it('says in a line that a file cannot take it', async () => {
    const program = run('services/cli/tagtrail.ts', exporting('--file', '/dev/full'), environment());
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.match(/^\/dev\/full cannot be written: ENOSPC[^\n]*\n$/);
  });

  it('says in a line that a document cannot be kept until it is whole', async () => {
    const program = run('services/cli/tagtrail.ts', exporting('--json'), {
      ...environment(),
      TMPDIR: '/nowhere',
    });
    expect(await program.ended).to.equal(1);
    expect(program.stdout()).to.equal('');
    expect(JSON.parse(program.stderr()).error).to.include({ code: 'unavailable' });
    expect(program.stderr()).to.include('set TMPDIR to another folder');
  });

  for (const more of [[], ['--json']]) {
    it(`says so of standard output, too: ${more.join() || 'as CSV'}`, async () => {
      const { said, status } = await inShell('"$@" > /dev/full', exporting(...more));
      expect(status).to.equal(1);
      expect(said).to.match(/^[^\n]*Standard output cannot be written: [^\n]*ENOSPC[^\n]*\n$/);
    });

    it(`ends without a word when nobody reads on: ${more.join() || 'as CSV'}`, async () => {
      expect(await inShell('set -o pipefail; "$@" | true', exporting(...more))).to.deep.equal({
        said: '',
        status: 141,
      });
    });
  }

  const waiting = () =>
    api.database.rows(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );

  async function untilWaiting({ child, stderr }: Program) {
    while ((await waiting()).length === 0) {
      expect(child.exitCode, stderr()).to.equal(null);
    }
  }

  async function inShell(script: string, command: string[], more: NodeJS.ProcessEnv = {}) {
    const shell = spawn(
      'bash',
      ['-c', script, 'bash', process.execPath, 'services/cli/tagtrail.ts', ...command],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...environment(), ...more },
      },
    );
    const [said, [status]] = await Promise.all([text(shell.stderr), once(shell, 'close')]);
    return { said, status };
  }
});
