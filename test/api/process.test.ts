import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { useDatabase } from '../support/database.ts';
import { untilReady } from '../support/readiness.ts';

describe('the API process', () => {
  const database = useDatabase();
  const start = (environment: Record<string, string>) =>
    spawn(process.execPath, ['services/api/main.ts'], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('ends with 1 and one message for everything that is wrong with its settings', async () => {
    const { status, stderr } = await outcomeOf(start({ API_PORT: 'x' }));
    expect(status).to.equal(1);
    expect(stderr.trimEnd().split('\n')).to.deep.equal([
      'DATABASE_URL is not set; set DATABASE_URL to an address such as postgres://user:password@host:5432/tagtrail, or of several servers: postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=read-write',
      'API_PORT is "x"; set API_PORT to a whole number from 0 to 65535',
    ]);
  });

  it('names DATABASE_URL, without its password, if the database is not there', async () => {
    const { status, stderr } = await outcomeOf(
      start({ DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/none' }),
    );
    expect(status).to.equal(1);
    expect(stderr).to.match(
      /^The database at DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be reached: .+\n$/,
    );
    expect(stderr).not.to.include('hush');
  });

  it('says how to migrate a database that is not migrated', async () => {
    const url = withDatabase(database.url, 'template1');
    const { status, stderr } = await outcomeOf(start({ DATABASE_URL: url }));
    expect(status).to.equal(1);
    expect(stderr).to.match(/is not migrated to this version; run npx --no -- tagtrail migrate\n$/);
  });

  it('says where it listens, serves, and ends with 0 when it is told to', async () => {
    const child = start({ DATABASE_URL: database.url, API_PORT: '0', SHUTDOWN_DELAY_MS: '0' });
    const outcome = outcomeOf(child);
    const address = await addressFrom(child);
    await untilReady(address);
    child.kill('SIGTERM');
    expect(await outcome).to.deep.equal({ status: 0, stderr: '' });
  });
});

async function outcomeOf(child: ChildProcess): Promise<{ status: number | null; stderr: string }> {
  const stderr = child.stderr === null ? '' : text(child.stderr);
  const [status] = await once(child, 'exit');
  return { status, stderr: await stderr };
}

async function addressFrom(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const { address } = JSON.parse(line);
    if (address !== undefined) {
      return address;
    }
  }
  throw new Error('the process ended without saying where it listens');
}
