import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { DEPLOY } from './folder.ts';

/** The script and git are real; systemd, npm and the processes are the machine's, and note what they are told. */
describe('an upgrade by systemd', () => {
  useProgram('git', 'curl');
  let folder: string;
  let server: Server;
  let refusals: number;
  let second: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-upgrade-'));
    for (const name of ['bin', 'origin/deploy', 'units', 'settings', 'sysusers', 'installed']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    refusals = 0;
    server = createServer(({ url }, response) => {
      refusals -= 1;
      note(`asked ${url} ${refusals < 0 ? 'ready' : 'not ready'}`);
      response.writeHead(refusals < 0 ? 200 : 503).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    for (const [name, text] of Object.entries(PROGRAMS)) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}`, { mode: 0o755 });
    }
    writeFileSync(join(folder, 'port'), String(port));
    writeFileSync(join(folder, 'settings/tagtrail.env'), 'HOST=127.0.0.1\n');
    writeFileSync(join(folder, 'log'), '');
    writeFileSync(join(folder, 'running'), '');

    git('origin', 'init', '--quiet', '--initial-branch=main');
    cpSync(join(DEPLOY, 'systemd'), join(folder, 'origin/deploy/systemd'), { recursive: true });
    writeFileSync(join(folder, 'origin/package-lock.json'), '{"version": 1}\n');
    commit('First');
    execFileSync('git', ['clone', '--quiet', join(folder, 'origin'), join(folder, 'home')]);
    expect(await upgrade('main')).to.include({ status: 0 });
    expect(log().filter((line) => /restart|backup/.test(line))).to.deep.equal([]);

    // npm 9 changes the lock file like this, and then git refuses a checkout.
    appendFileSync(join(folder, 'home/package-lock.json'), '\n');
    writeFileSync(join(folder, 'origin/package-lock.json'), '{"version": 2}\n');
    writeFileSync(join(folder, 'origin/deploy/systemd/tagtrail-new.service'), '[Service]\n');
    commit('Second');
    second = git('origin', 'rev-parse', 'HEAD').trim();
    writeFileSync(join(folder, 'running'), UNITS.join('\n'));
    writeFileSync(join(folder, 'log'), '');
  });
  afterEach(async () => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const note = (line: string) => appendFileSync(join(folder, 'log'), `${line}\n`);
  const log = () => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
  const current = () => readlinkSync(join(folder, 'home/current'));
  const git = (where: string, ...args: string[]) =>
    execFileSync('git', ['-C', join(folder, where), ...AUTHOR, ...args], { encoding: 'utf8' });
  const commit = (subject: string) => {
    git('origin', 'add', '--all');
    git('origin', 'commit', '--quiet', '--message', subject);
  };

  async function upgrade(version: string) {
    const child = spawn(join(folder, 'home/deploy/systemd/upgrade'), [version], {
      env: {
        ...process.env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        FOLDER: folder,
        TAGTRAIL_HOME: join(folder, 'home'),
        TAGTRAIL_UNITS: join(folder, 'units'),
        TAGTRAIL_SETTINGS: join(folder, 'settings'),
        TAGTRAIL_SYSUSERS: join(folder, 'sysusers'),
        TAGTRAIL_BIN: join(folder, 'installed'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += text));
    child.stderr.on('data', (text) => (said += text));
    const [status] = await once(child, 'close');
    return { status, said };
  }

  it('backs up, installs units, migrates, and restarts one instance after the other once the last is ready', async () => {
    refusals = 2;
    const { status, said } = await upgrade('main');
    expect(status, said).to.equal(0);
    expect(said).to.include('Migrating\n0002-new waits for pid 812\nRestarting');
    expect(log().map((line) => line.replace(/\S+\.backup/, 'FILE'))).to.deep.equal([
      'npm ci --omit=dev --no-audit --no-fund',
      'tagtrail database backup --file FILE',
      'systemd-sysusers',
      'systemctl daemon-reload',
      'systemctl restart tagtrail-migrate',
      'systemctl restart tagtrail-worker@1.service',
      ...['asked /readyz not ready', 'asked /readyz not ready', 'asked /readyz ready'],
      ...UNITS.slice(1).flatMap((unit) => [`systemctl restart ${unit}`, 'asked /readyz ready']),
    ]);
    expect(current()).to.equal(join(folder, 'home/releases', second));
    expect(existsSync(join(folder, 'units/tagtrail-new.service'))).to.equal(true);
    expect(readFileSync(join(folder, 'home/current/package-lock.json'), 'utf8')).to.equal('{"version": 2}\n');
  });

  it('installs and starts a worker where none runs, before the processes that did its work are restarted', async () => {
    writeFileSync(join(folder, 'running'), UNITS.slice(1).join('\n'));
    const { status, said } = await upgrade('main');
    expect(status, said).to.equal(0);
    const units = log().filter((line) => /@\d/.test(line));
    expect(units.slice(0, 2)).to.deep.equal([
      'systemctl enable --now tagtrail-worker@1.service',
      'systemctl restart tagtrail-mqtt-ingest@1.service',
    ]);
    expect(existsSync(join(folder, 'units/tagtrail-worker@.service'))).to.equal(true);
  });

  itByNight('that cannot start a worker leaves the processes that do its work as they are', async () => {
    writeFileSync(join(folder, 'running'), UNITS.slice(1).join('\n'));
    refusals = Number.POSITIVE_INFINITY;
    const { status, said } = await upgrade('main');
    expect(status).to.equal(1);
    expect(said).to.include('tagtrail-worker@1.service is not ready');
    expect(log().filter((line) => /restart .*@/.test(line))).to.deep.equal([]);
  });

  it('that cannot migrate leaves every process and the version as they are', async () => {
    const before = current();
    writeFileSync(join(folder, 'migration-fails'), '');
    const { status, said } = await upgrade('main');
    expect(status).to.equal(1);
    expect(said).to.include('every process goes on as it was');
    expect(current()).to.equal(before);
    expect(log().slice(-2)).to.deep.equal([
      'systemctl restart tagtrail-migrate',
      'systemctl stop tagtrail-migrate',
    ]);
  });

  it('stops at an instance that does not become ready, so that the others go on answering', async () => {
    refusals = Number.POSITIVE_INFINITY;
    const { status, said } = await upgrade('main');
    expect(status).to.equal(1);
    expect(said).to.include(`${UNITS[0]} is not ready`);
    expect(log().filter((line) => line.startsWith('systemctl restart'))).to.deep.equal([
      'systemctl restart tagtrail-migrate',
      `systemctl restart ${UNITS[0]}`,
    ]);
  });

  it('refuses units that are no templates, a port that all instances of a service would share, and a version that there is not', async () => {
    expect(await upgrade('v9'))
      .to.include({ status: 1 })
      .and.property('said')
      .to.include('no version v9');
    writeFileSync(join(folder, 'units/tagtrail-api.service'), '[Service]\n');
    const plain = await upgrade('main');
    expect(plain.status).to.equal(1);
    expect(plain.said).to.match(/tagtrail-api\.service is of an earlier version.+'Upgrade'/);
    rmSync(join(folder, 'units/tagtrail-api.service'));
    appendFileSync(join(folder, 'settings/tagtrail.env'), 'API_PORT=8080\n');
    const { status, said } = await upgrade('main');
    expect(status).to.equal(1);
    expect(said).to.include('Remove API_PORT from');
    expect(log().join()).not.to.include('systemctl restart');
  });
});

const UNITS = [
  'tagtrail-worker@1.service',
  'tagtrail-mqtt-ingest@1.service',
  'tagtrail-handheld-gateway@1.service',
  'tagtrail-api@1.service',
  'tagtrail-api@2.service',
  'tagtrail-console@1.service',
];

const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

const NOTE = 'echo "$(basename "$0") $*" | sed "s/ *$//" >> "$FOLDER/log"\n';

const PROGRAMS = {
  systemctl: `case $1 in
list-units) for pattern; do :; done; grep "^\${pattern%@*}@" "$FOLDER/running"; exit 0 ;;
show) echo "NODE_ENV=production API_PORT=$(cat "$FOLDER/port")"; exit 0 ;;
esac
if [ "$*" = 'restart tagtrail-migrate' ]; then until [ -e "$FOLDER/followed" ]; do :; done; fi
${NOTE}[ "$*" != 'restart tagtrail-migrate' ] || [ ! -e "$FOLDER/migration-fails" ]
`,
  'systemd-sysusers': NOTE,
  journalctl: 'echo "0002-new waits for pid 812"; touch "$FOLDER/followed"; exec tail --follow /dev/null\n',
  npm: `${NOTE}mkdir node_modules\n`,
  tagtrail: NOTE,
  sleep: '',
};
