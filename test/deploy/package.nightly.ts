import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from './folder.ts';

/** With the machine's own Node.js, as `npm test` puts the project's first. */
const PATH = (process.env['PATH'] ?? '').replaceAll(/[^:]*node_modules\/\.bin:/g, '');

describe('an installation from the registry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-install-'));
  after(() => rmSync(folder, { recursive: true }));

  it('of the package runs in an empty folder', () => {
    execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: PROJECT, stdio: 'ignore' });
    const { version } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8'));
    const file = join(folder, `tagtrail-${version}.tgz`);
    const env = { ...process.env, PATH };
    execFileSync('npm', ['install', '--global', '--prefix', folder, file], { env, stdio: 'ignore' });
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const command = join(folder, 'bin/tagtrail');
    expect(execFileSync(command, ['--version'], { cwd: empty, env, encoding: 'utf8' })).to.equal(
      `${version}\n`,
    );
    expect(execFileSync(command, ['demo', '--once'], { cwd: empty, env, encoding: 'utf8' })).to.match(
      / all agree\n$/,
    );
  });

  for (const npm of ['9.9.4', '10.8.2', '11.19.1']) {
    it(`of a clone by npm ${npm} leaves the lock file, and warns of no Node.js`, () => {
      const clone = join(folder, `npm-${npm}`);
      for (const file of ['package.json', 'package-lock.json', '.npmrc', 'clients/typescript/package.json']) {
        cpSync(join(PROJECT, file), join(clone, file));
      }
      const command = ['exec', '--yes', `npm@${npm}`, '--', 'install', '--ignore-scripts'];
      const { status, stderr } = spawnSync('npm', command, {
        cwd: clone,
        encoding: 'utf8',
        env: { ...process.env, PATH },
      });
      expect({ status, warnings: stderr.match(/EBADENGINE/g) }).to.deep.equal({ status: 0, warnings: null });
      const lockOf = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8');
      expect(lockOf(clone)).to.equal(lockOf(PROJECT));
    });
  }
});
