import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { commandLineOn, runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

const PROGRAM = fileURLToPath(new URL('../../services/cli/tagtrail.ts', import.meta.url));

describe('a run of a command', () => {
  const first = useDatabase();
  const second = useDatabase();
  const here = commandLineOn(() => first);
  const there = commandLineOn(() => second);
  let org = '';
  before(async () => {
    org = String((await Site.create(first, 'Here')).orgId);
    await Site.create(second, 'There');
  });

  it('is a process with a status, by the name of the program', async () => {
    const program = async (...args: string[]) => {
      const child = spawn(PROGRAM, args, { env: { PATH: process.env['PATH'], DATABASE_URL: first.url } });
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { status, stdout, stderr };
    };
    expect(await program('org', 'list', '--json')).to.deep.equal({
      status: 0,
      stdout: `[{"id":${org},"name":"Here"}]\n`,
      stderr: '',
    });
    const failed = await program('org', 'rename', '--org', '999', '--name', 'New', '--json');
    expect(failed).to.deep.include({ status: 1, stdout: '' });
    expect(JSON.parse(failed.stderr).error.code).to.equal('not_found');
    const wrong = await program('org', 'rename', '--org', 'first');
    expect(wrong).to.deep.include({ status: 2, stdout: '' });
    expect(wrong.stderr).to.include('It must be a whole number');
  });

  it('has the output, the environment and the status that are its own, beside others', async () => {
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [
          () => here.tagtrail('org', 'list', '--json'),
          () => there.tagtrail('org', 'list', '--json'),
          () => here.tagtrail('org', 'rename', '--org', '999', '--name', `Name ${index}`),
        ][index % 3]?.(),
      ),
    );
    for (const [index, ended] of ends.entries()) {
      expect(ended).to.deep.equal(
        [
          { status: 0, stdout: `[{"id":${org},"name":"Here"}]\n`, stderr: '' },
          { status: 0, stdout: '[{"id":1,"name":"There"}]\n', stderr: '' },
          { status: 1, stdout: '', stderr: 'Organization 999 not found\n' },
        ][index % 3],
      );
    }
  });

  it('leaves nothing behind in the process', async () => {
    const seen = () => ({
      listeners: Object.fromEntries(process.eventNames().map((name) => [name, process.listenerCount(name)])),
      status: process.exitCode,
      environment: { ...process.env },
      folder: process.cwd(),
    });
    const runs = async () => {
      await here.tagtrail('--help');
      await here.tagtrail('org', 'list');
      await here.tagtrail('migrate');
      await here.tagtrail('history', 'recompute', '--org', org);
      await here.tagtrail('export', 'assets', '--org', org);
      await here.tagtrail('doctor');
      await here.tagtrail('reader', 'create', '--org', org, '--name', 'A');
      await runCommand(['org', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      await runCommand(['format', 'try', '--format', 'ingics', '--topic', 'a', '--file', '-'], {}, 'x');
    };
    // Loaded modules stay.
    await runs();
    const [before, resources] = [seen(), process.getActiveResourcesInfo()];
    await runs();
    expect(seen()).to.deep.equal(before);
    // Idle connections of this test may have ended meanwhile.
    const left = process.getActiveResourcesInfo().filter((each) => {
      const at = resources.indexOf(each);
      return at === -1 || resources.splice(at, 1).length === 0;
    });
    expect(left).to.deep.equal([]);
  });
});
