import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { runningEmbeddedUrl } from '../../db/timescale/embedded/server.ts';
import { socketsOf } from '../support/listening.ts';
import { type Program, run } from '../support/process.ts';
import { useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { startReceiver } from '../support/receiver.ts';
import { isServerRunning, serverPid, stop, useStandalone } from './use-standalone.ts';

describe('everything in one process', () => {
  const system = useStandalone();
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
    const first = await system.start();
    await first.printed('Try it');
    const [key = ''] = /tt_\w{26}_[\w-]{43}/.exec(first.stdout()) ?? [];
    expect(first.stdout()).to.match(/Handheld token {2}th_1_[\w-]{43}/);
    expect(await whoAmI(first, key)).to.have.nested.property('body.data.name', 'My organization');
    expect(await lookUpAs(first)).to.equal(200);
    const { data_checksums: checksums, superusers } = await askServer(system.data);
    expect(checksums).to.equal('on');
    expect(OWNERS_TASKS).to.include.members(superusers);
    expectLoopback(first, system.data);
    expect(await stop(first)).to.equal(0);
    expect(isServerRunning(system.data)).to.equal(false);

    const second = await system.start();
    await second.printed('Database');
    expect(await whoAmI(second, key)).to.have.property('status', 200);
    expect(second.stdout()).to.not.include('tt_');
    second.child.kill('SIGKILL');
    await second.ended;
    expect(isServerRunning(system.data)).to.equal(true);

    // The database that the killed one left running is taken over.
    const third = await system.start();
    await third.printed('Database');
    expect(await whoAmI(third, key)).to.have.property('status', 200);
    expect(await stop(third)).to.equal(0);
    expect(isServerRunning(system.data)).to.equal(false);
    expect(third.stdout()).to.match(/Stopped in order\.\n$/);
  });

  itByNight(
    'lets the first administrator in by a link, a new one with each start until it was used',
    async () => {
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
      const first = await system.start();
      const unused = await firstLink(first);
      expect(first.stdout().indexOf('#/link/')).to.be.below(first.stdout().indexOf('API  '));
      await stop(first);
      const second = await system.start();
      const link = await firstLink(second);
      expect((await accept({ ...link, token: unused.token })).status).to.equal(404);
      const answer = await accept(link);
      expect(await answer.json()).to.have.nested.property('data.memberships[0].role', 'admin');
      expect((await accept(link)).status).to.equal(404);
      await stop(second);
      const third = await system.start();
      expect(await firstLink(third)).to.deep.equal({ address: undefined, token: undefined });
      await stop(third);
    },
  );

  itByNight(
    'makes the key that secrets of webhooks are encrypted with, for itself, for commands and for good',
    async () => {
      const receiver = await startReceiver();
      const settings = { WEBHOOK_NETWORKS: '127.0.0.1' };
      const first = await system.start(settings);
      await first.printed('Try it');
      const file = join(system.data, 'secrets-key');
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      const key = readFileSync(file, 'utf8');
      const webhook = async (...args: string[]) => {
        const command = run('services/cli/tagtrail.ts', ['webhook', ...args, '--json'], {
          TAGTRAIL_DATA: system.data,
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
    },
  );
});

describe('what npm start says to try', () => {
  useProgram('curl');
  const system = useStandalone();

  it('works as it is printed', async () => {
    const program = await system.start();
    await program.printed('Try it');
    const [, commands = ''] = program.stdout().split('Try it:');
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    expect(stdout).to.match(/My organization.*DOCK-1.*portal.*DOCK-1/s);
    expect(await stop(program)).to.equal(0);
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
  expect(sockets.filter(({ isListening }) => isListening)).to.have.length(5);
  const all = [...sockets, ...socketsOf(serverPid(data) ?? 0)];
  expect(all.filter(({ isLoopback }) => !isLoopback)).to.deep.equal([]);
}
