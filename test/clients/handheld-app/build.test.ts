import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

describe('the build of the handhelds’ app where the bundler is not installed', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-build-'));
    for (const build of ['handheld-app/build', 'ui/build']) {
      cpSync(join('clients', build), join(folder, build), { recursive: true });
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  const build = (script: string) =>
    spawnSync(process.execPath, [join(folder, 'handheld-app/build/main.ts')], {
      encoding: 'utf8',
      env: { ...process.env, npm_lifecycle_event: script },
    });

  it('lets an installation go on, and says what to do', () => {
    const { status, stderr } = build('postinstall');
    expect(status).to.equal(0);
    expect(stderr).to.match(
      /was not built, as what it is made with is not installed: npm install without --omit=optional/,
    );
  });

  it('fails when it is asked for', () => {
    const { status, stderr } = build('build:app');
    expect(status).to.equal(1);
    expect(stderr).to.include("Cannot find package 'esbuild'");
  });
});
