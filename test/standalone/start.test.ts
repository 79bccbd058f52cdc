import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { runningEmbeddedUrl } from '../../db/timescale/embedded/server.ts';
import { freePort } from '../support/free-port.ts';
import { socketsOf } from '../support/listening.ts';
import { type Program, run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

describe('everything in one process', function () {
  this.timeout(60_000);
  let data: string;
  const programs: Program[] = [];
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'tagtrail-start-'));
    chmodSync(data, 0o711);
  });
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    stopLeftServer(data);
    rmSync(data, { recursive: true, force: true });
  });

  async function start(environment: NodeJS.ProcessEnv = {}): Promise<Program> {
    const program = run('services/standalone/main.ts', [], {
      TAGTRAIL_DATA: data,
      API_PORT: String(await freePort()),
      MQTT_PORT: String(await freePort()),
      HANDHELD_PORT: String(await freePort()),
      CONSOLE_PORT: String(await freePort()),
      ...environment,
    });
    programs.push(program);
    return program;
  }
  const stop = async (program: Program) => {
    program.child.kill('SIGINT');
    return program.ended;
  };
  const whoAmI = async (program: Program, key: string) => {
    const [address] = /http:\S+\/api\/v1/.exec(program.stdout()) ?? [];
    const response = await fetch(`${address}/orgs/me`, { headers: { Authorization: `Bearer ${key}` } });
    return { status: response.status, body: await response.json() };
  };

  const lookUpAs = async (program: Program) => {
    const [, address] = /Handhelds +(http:\S+)/.exec(program.stdout()) ?? [];
    const [token] = /th_1_[\w-]{43}/.exec(program.stdout()) ?? [];
    const url = `${address}/handheld/v1/locations`;
    return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status;
  };

  it('shows an organization, a key and a token once, works, stops in order, and goes on where it stopped', async () => {
    const first = await start();
    await first.printed('Try it');
    const [key = ''] = /tt_\w{26}_[\w-]{43}/.exec(first.stdout()) ?? [];
    expect(first.stdout()).to.match(/Handheld token {2}th_1_[\w-]{43}/);
    expect(await whoAmI(first, key)).to.have.nested.property('body.data.name', 'My organization');
    expect(await lookUpAs(first)).to.equal(200);
    const { data_checksums: checksums, superusers } = await askServer(data);
    expect(checksums).to.equal('on');
    expect(OWNERS_TASKS).to.include.members(superusers);
    expectLoopback(first, data);
    expect(await stop(first)).to.equal(0);
    expect(isServerRunning(data)).to.equal(false);

    const second = await start();
    await second.printed('Database');
    expect(await whoAmI(second, key)).to.have.property('status', 200);
    expect(await stop(second)).to.equal(0);
    expect(second.stdout()).to.not.include('tt_');
    expect(second.stdout()).to.match(/Stopped in order\.\n$/);
  });

  it('lets the first administrator in by a link, a new one with each start until it was used', async () => {
    const firstLink = async (program: Program) => {
      await program.printed('Database');
      const [, address, token] = /(http:\S+)\/#\/link\/([\w-]{43})\n/.exec(program.stdout()) ?? [];
      return { address, token };
    };
    const accept = ({ address, token }: { address: string | undefined; token: string | undefined }) =>
      fetch(`${address}/console/v1/links/accept`, {
        method: 'POST',
        headers: {
          ...{ 'Content-Type': 'application/json', Origin: String(address) },
          'X-Tagtrail-Console': '1',
        },
        body: JSON.stringify({
          token,
          email: 'ann@example.com',
          name: 'Ann',
          password: 'a quiet pier at dusk',
        }),
      });
    const first = await start();
    const unused = await firstLink(first);
    expect(first.stdout().indexOf('#/link/')).to.be.below(first.stdout().indexOf('API  '));
    await stop(first);
    const second = await start();
    const link = await firstLink(second);
    expect((await accept({ ...link, token: unused.token })).status).to.equal(404);
    const answer = await accept(link);
    expect(await answer.json()).to.have.nested.property('data.memberships[0].role', 'admin');
    expect((await accept(link)).status).to.equal(404);
    await stop(second);
    const third = await start();
    expect(await firstLink(third)).to.deep.equal({ address: undefined, token: undefined });
    await stop(third);
  });

  it('makes the key that secrets of webhooks are encrypted with, for itself, for commands and for good', async () => {
    const receiver = await startReceiver();
    const settings = { WEBHOOK_NETWORKS: '127.0.0.1' };
    const first = await start(settings);
    await first.printed('Try it');
    const file = join(data, 'secrets-key');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const key = readFileSync(file, 'utf8');
    const webhook = async (...args: string[]) => {
      const command = run('services/cli/tagtrail.ts', ['webhook', ...args, '--json'], {
        TAGTRAIL_DATA: data,
        ...settings,
      });
      expect(await command.ended, command.stderr()).to.equal(0);
      return JSON.parse(command.stdout());
    };
    const { id, secret } = await webhook('create', '--org', '1', '--url', receiver.url);
    expect(await stop(first)).to.equal(0);
    expect(await webhook('test', '--webhook', String(id))).to.include({ delivered: true });
    const [request] = receiver.received;
    new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(readFileSync(file, 'utf8')).to.equal(key);
    await receiver.close();
  });

  it('takes over the database that a killed process left running', async () => {
    const first = await start();
    await first.printed('Try it');
    const [key = ''] = /tt_\w{26}_[\w-]{43}/.exec(first.stdout()) ?? [];
    first.child.kill('SIGKILL');
    await first.ended;
    expect(isServerRunning(data)).to.equal(true);
    const second = await start();
    await second.printed('Database');
    expect(await whoAmI(second, key)).to.have.property('status', 200);
    expect(await stop(second)).to.equal(0);
    expect(isServerRunning(data)).to.equal(false);
  });

  it('refuses to run twice on one folder, and leaves the first alone', async () => {
    const first = await start();
    await first.printed('Try it');
    const second = await start();
    expect(await second.ended).to.equal(1);
    expect(second.stderr()).to.match(/^tagtrail is already running on TAGTRAIL_DATA .*\n$/);
    expect(isServerRunning(data)).to.equal(true);
    expect(await stop(first)).to.equal(0);
  });

  it('lets the command line work beside it on the same database', async () => {
    const program = await start();
    await program.printed('Try it');
    const command = run('services/cli/tagtrail.ts', ['org', 'create', '--name', 'Beside', '--json'], {
      TAGTRAIL_DATA: data,
    });
    expect(await command.ended).to.equal(0);
    expect(JSON.parse(command.stdout())).to.deep.equal({ id: 2, name: 'Beside' });
    expect(isServerRunning(data)).to.equal(true);
  });

  it('names every setting that is wrong, and starts nothing', async () => {
    const program = await start({ API_PORT: '80800', LOG_LEVEL: 'loud', LATENESS_DAYS: '-1' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr().trim().split('\n')).to.have.lengthOf(3);
    expect(program.stderr()).to.include('API_PORT').and.include('LOG_LEVEL').and.include('LATENESS_DAYS');
    expect(isServerRunning(data)).to.equal(false);
  });

  it('wants scans kept for as long as they may be late', async () => {
    const program = await start({ SCAN_RETENTION_DAYS: '7' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.include('SCAN_RETENTION_DAYS is 7').and.include('LATENESS_DAYS');
  });

  for (const setting of ['API_PORT', 'MQTT_PORT', 'HANDHELD_PORT', 'CONSOLE_PORT']) {
    it(`names ${setting} where the port is taken, and leaves nothing running`, async () => {
      const { server, port } = await takenPort();
      const program = await start({ [setting]: String(port) });
      expect(await program.ended).to.equal(1);
      expect(program.stderr()).to.equal(
        `${setting} ${port} on 127.0.0.1 is already in use; stop what listens there or set ${setting}\n`,
      );
      expect(isServerRunning(data)).to.equal(false);
      server.close();
    });
  }

  it('names DATABASE_URL where there is no database', async () => {
    const program = await start({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.match(
      /^The database at DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be reached.*\n$/,
    );
  });
});

/** Migrating, what is left to do after it, and holding the server and the folder. */
const OWNERS_TASKS = [
  'tagtrail',
  'tagtrail use',
  'tagtrail migrate',
  'tagtrail search indexes',
  'tagtrail recomputation',
];

/** Who is connected as a superuser, and whether the server notices what a disk changes. */
async function askServer(data: string) {
  const client = new pg.Client(connectionConfig(runningEmbeddedUrl(data) ?? ''));
  await client.connect();
  const { rows } = await client.query<{ data_checksums: string; superusers: string[] }>(
    `select current_setting('data_checksums') as data_checksums, array(
       select distinct application_name from pg_stat_activity join pg_roles on rolname = usename
       where rolsuper and pid <> pg_backend_pid() and backend_type = 'client backend'
     ) as superusers`,
  );
  await client.end();
  return rows[0] ?? { data_checksums: '', superusers: [''] };
}

/** That nobody beyond this machine reaches any of its ports, the database's among them, and that it calls nobody there. */
function expectLoopback({ child }: Program, data: string): void {
  if (process.platform !== 'linux') {
    return;
  }
  const sockets = socketsOf(child.pid ?? 0);
  expect(sockets.filter(({ isListening }) => isListening)).to.have.length(4);
  const all = [...sockets, ...socketsOf(serverPid(data) ?? 0)];
  expect(all.filter(({ isLoopback }) => !isLoopback)).to.deep.equal([]);
}

async function takenPort(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

function serverPid(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

function isServerRunning(data: string): boolean {
  return serverPid(data) !== null;
}

/** A test that fails must not leave a database server behind. */
function stopLeftServer(data: string): void {
  const pid = serverPid(data);
  if (pid !== null) {
    process.kill(pid, 'SIGQUIT');
    execFileSync('tail', [`--pid=${pid}`, '-f', '/dev/null']);
  }
}
