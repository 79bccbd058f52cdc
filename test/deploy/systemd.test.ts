import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { API_SETTINGS } from '../../services/api/config.ts';
import { CONSOLE_SETTINGS } from '../../services/console/config.ts';
import { GATEWAY_SETTINGS } from '../../services/handheld-gateway/config.ts';
import { INGEST_SETTINGS } from '../../services/mqtt-ingest/config.ts';
import { WORKER_SETTINGS } from '../../services/worker/config.ts';
import { certificate } from '../support/certificates.ts';
import { useChecker } from '../support/checker.ts';
import { DEPLOY, deployed, PROJECT, readDeployed } from './folder.ts';

describe('the units of systemd', () => {
  const analyze = useChecker('systemd-analyze');
  const units = deployed(/^systemd\/.+\.(service|target)$/);
  let folder: string | undefined;

  before(() => {
    const made = mkdtempSync(join(tmpdir(), 'tagtrail-units-'));
    folder = made;
    mkdirSync(join(made, 'systemd'));
    for (const unit of units) {
      // Programs and documents are looked for, and are here.
      writeFileSync(join(made, unit), readDeployed(unit).replaceAll('/opt/tagtrail/current/', PROJECT));
    }
  });
  after(() => folder !== undefined && rmSync(folder, { recursive: true }));

  it('pass systemd-analyze', () => {
    expect(units).to.have.lengthOf(7);
    const checked = analyze.run(['verify', '--man=no', ...units], { cwd: folder ?? '' });
    expect(checked).to.deep.equal({ status: 0, said: '' });
  });

  it('give the services hardly more than their own files and the network', () => {
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      expect(readDeployed(unit), unit)
        .to.match(/^DynamicUser=yes$/m)
        .and.match(/^ProtectSystem=strict$/m);
      const options = [
        'security',
        '--offline=true',
        '--threshold=20',
        '--no-pager',
        join(folder ?? '', unit),
      ];
      const { status, said } = analyze.run(options);
      expect(status, said).to.equal(0);
    }
  });

  it('and the image name the command in hints as the runbook has it typed', () => {
    const services = units.filter((name) => name.endsWith('.service'));
    for (const file of [...services, 'systemd/tagtrail', 'Dockerfile']) {
      expect(readDeployed(file), file).to.match(/\bTAGTRAIL_COMMAND=tagtrail\b/);
    }
    const help = spawnSync(
      process.execPath,
      [join(PROJECT, 'services/cli/tagtrail.ts'), 'reader', 'list', '--help'],
      {
        env: { TAGTRAIL_COMMAND: 'tagtrail' },
        encoding: 'utf8',
      },
    );
    expect(help.stdout).to.match(/\nExample:\n {2}tagtrail reader list --org 1\n$/);
  });

  it('read certificates where the guide installs them, and not the settings with their passwords', function () {
    if (process.getuid?.() !== 0) {
      // Nobody else can give files to a group.
      this.skip();
    }
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      expect(readDeployed(unit), unit).to.match(/^User=tagtrail$/m);
    }
    expect(readDeployed('systemd/sysusers.conf')).to.match(/^u tagtrail - /m);
    const etc = join(folder ?? '', 'etc');
    const pems = ['fullchain.pem', 'privkey.pem', 'readers-ca.pem'];
    for (const [index, name] of ['broker.crt', 'broker.key', 'ca.crt'].entries()) {
      writeFileSync(join(folder ?? '', pems[index] ?? ''), certificate(name), { mode: 0o600 });
    }
    const lines = [...readDeployed('install.md').matchAll(/^install .*\/etc\/tagtrail\b.*$/gm)].map(
      ([line]) =>
        line
          .replaceAll('/etc/tagtrail', etc)
          .replaceAll('-g tagtrail', `-g ${ACCOUNT}`)
          .replaceAll('deploy/', `${DEPLOY}/`),
    );
    expect(lines).to.have.lengthOf(4);
    const installed = spawnSync('sh', ['-eu'], { cwd: folder ?? '', input: lines.join('\n') });
    expect(installed.status, installed.stderr.toString()).to.equal(0);
    chmodSync(folder ?? '', 0o755);
    const asAccount = (name: string) =>
      spawnSync('cat', [join(etc, name)], { uid: ACCOUNT, gid: ACCOUNT }).status === 0;
    expect(pems.filter(asAccount)).to.deep.equal(pems);
    expect(['tagtrail.env', 'migrate.env'].filter(asAccount)).to.deep.equal([]);
  });

  it('start programs that there are', () => {
    const programs = units.flatMap((unit) =>
      [...readDeployed(unit).matchAll(/^ExecStart=\S+ (\S+\.ts)/gm)].map(([, path = '']) => path),
    );
    expect(programs).to.have.members([
      'services/api/main.ts',
      'services/cli/tagtrail.ts',
      'services/console/main.ts',
      'services/handheld-gateway/main.ts',
      'services/mqtt-ingest/main.ts',
      'services/worker/main.ts',
    ]);
    for (const path of programs) {
      expect(readFileSync(PROJECT + path, 'utf8')).not.to.equal('');
    }
  });

  it('read settings that there are', () => {
    const example = readDeployed('systemd/tagtrail.env.example');
    const set = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
    const known = Object.keys({
      ...API_SETTINGS,
      ...INGEST_SETTINGS,
      ...GATEWAY_SETTINGS,
      ...CONSOLE_SETTINGS,
      ...WORKER_SETTINGS,
    });
    expect(known).to.include.members(set);
    expect(set).to.include.members(['DATABASE_URL', 'MQTT_URL', 'REDIS_URL']);
    // Each instance has its own, from its unit.
    expect(set).not.to.include.members(['MQTT_CLIENT_ID', 'API_PORT']);
  });
});

describe('HAProxy in front of the units', () => {
  const haproxy = useChecker('haproxy');

  it('takes its configuration, which leads to the ports of the units', () => {
    const checked = haproxy.run(['-c', '-q', '-f', `${DEPLOY}/systemd/haproxy.cfg`]);
    expect(checked, checked.said).to.include({ status: 0 });
    const ports = [
      ...readDeployed('systemd/haproxy.cfg').matchAll(/^ +server (\S+)-(\d) 127.0.0.1:(\d+) check$/gm),
    ];
    expect(ports).to.have.lengthOf(6);
    for (const [, service, instance, port] of ports) {
      const [, prefix] =
        /^Environment=[A-Z]+_PORT=(\d+)%i$/m.exec(readDeployed(`systemd/tagtrail-${service}@.service`)) ?? [];
      expect(`${prefix}${instance}`, service).to.equal(port);
    }
  });
});

/** A user and group that nobody has. */
const ACCOUNT = 54_321;
