import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { expect } from 'chai';

const FILE = 'test/base/fair-semaphore.test.ts';

describe('the suite', () => {
  it('runs the one file that `npm test` is given', () => {
    expect(filesOf(FILE)).to.deep.equal([FILE]);
  });

  it('runs what a folder has that `npm test` is given', () => {
    expect(filesOf('test/base')).to.include(FILE).and.satisfy(areBelow('test/base/'));
  });
});

/** The files whose tests would be run by the last command of `npm test`, which is the one that gets its arguments. */
function filesOf(path: string): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { test: string } };
  const command = scripts.test.split('&&').at(-1);
  const { TEST_DATABASE_URL: _, MOCHA_OPTIONS: __, ...environment } = process.env;
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
