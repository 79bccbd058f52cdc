import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { expect } from 'chai';

const FILE = 'test/base/fair-semaphore.test.ts';

describe('the suite', () => {
  it('runs the one file that `npm test` is given', () => {
    expect(filesOf(FILE)).to.deep.equal([FILE]);
  });

  it('runs what a folder has that `npm test` is given', () => {
    expect(filesOf('test/base')).to.include(FILE).and.satisfy(areBelow('test/base/'));
  });

  describe('where a program is not installed', () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'tagtrail-lacking-'));
      writeFileSync(
        join(folder, 'lacking.test.ts'),
        `import { useProgram } from '${new URL('support/programs.ts', import.meta.url)}';
        describe('a suite', () => {
          useProgram('sh', 'no-such-program');
          it('that wants it', () => {
            throw new Error('was run');
          });
        });
        describe('a suite', () => {
          useProgram('sh');
          it('that does without', () => {});
        });`,
      );
    });
    after(() => rmSync(folder, { recursive: true }));
    const run = (requireAll: string) =>
      spawnSync('npx', ['mocha', '--no-parallel', folder], {
        encoding: 'utf8',
        env: { ...process.env, TEST_REQUIRE_ALL: requireAll, MOCHA_OPTIONS: '' },
      });

    it('skips the suites that want it, and tells what to install', () => {
      const { status, stdout } = run('0');
      expect(stdout).to.include('1 passing').and.include('1 pending');
      expect(stdout).to.include('Skipped, as this machine lacks no-such-program: 1 suite.');
      expect(stdout).to.include('.ci/packages');
      expect(status).to.equal(0);
    });

    it('fails where nothing may be skipped', () => {
      const { status, stdout } = run('1');
      expect(stdout).to.include('1 passing').and.include('no-such-program not installed');
      expect(status).to.equal(1);
    });
  });
});

/** The files whose tests would be run by the last command of `npm test`, which is the one that gets its arguments. */
function filesOf(path: string): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { test: string } };
  const command = scripts.test.split('&&').at(-1);
  const { MOCHA_OPTIONS: _, ...environment } = process.env;
  const PATH = [resolve('node_modules/.bin'), environment['PATH']].join(delimiter);
  const { stdout, status } = spawnSync(
    'sh',
    ['-c', `${command} "$@"`, 'npm', path, '--dry-run', '--no-parallel', '--reporter', 'json'],
    { encoding: 'utf8', env: { ...environment, PATH }, maxBuffer: 2 ** 26 },
  );
  expect(status).to.equal(0);
  const { tests } = JSON.parse(stdout) as { tests: { file: string }[] };
  return [...new Set(tests.map(({ file }) => file.slice(resolve().length + 1)))].sort();
}

function areBelow(folder: string): (files: string[]) => boolean {
  return (files) => files.every((file) => file.startsWith(folder));
}
