import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { run } from '../support/process.ts';
import { untilReadiness } from '../support/readiness.ts';

describe('the process of the handheld gateway', () => {
  const database = useDatabase();
  const start = (environment: NodeJS.ProcessEnv) => run('services/handheld-gateway/main.ts', [], environment);

  it('ends with 1 and one message for everything that is wrong with its settings', async () => {
    const program = start({ HANDHELD_PORT: 'x', HANDHELD_RATE_LIMIT_BURST: '0' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr().trimEnd().split('\n')).to.deep.equal([
      'DATABASE_URL is not set; set DATABASE_URL to an address such as postgres://user:password@host:5432/tagtrail, or of several servers: postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=read-write',
      'HANDHELD_PORT is "x"; set HANDHELD_PORT to a whole number from 0 to 65535',
      'HANDHELD_RATE_LIMIT_BURST is "0"; set HANDHELD_RATE_LIMIT_BURST to a whole number from 1 to 120000',
    ]);
  });

  it('wants scans kept for as long as they may be late', async () => {
    const program = start({ DATABASE_URL: database.url, SCAN_RETENTION_DAYS: '7' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.include('SCAN_RETENTION_DAYS is 7').and.include('LATENESS_DAYS');
  });

  it('names DATABASE_URL, without its password, if the database is not there', async () => {
    const program = start({ DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/none' });
    expect(await program.ended).to.equal(1);
    expect(program.stderr()).to.match(
      /^The database at DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be reached/,
    );
    expect(program.stderr()).not.to.include('hush');
  });

  it('says where it listens, serves, and ends with 0 when it is told to', async () => {
    const program = start({ DATABASE_URL: database.url, HANDHELD_PORT: '0', SHUTDOWN_DELAY_MS: '0' });
    await program.printed('Handheld gateway listening');
    const [, url] = /"address":"(http:[^"]+)"/.exec(program.stdout()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    await untilReadiness(url ?? '', {
      status: 200,
      checks: {
        database: 'ok',
        clock: 'ok',
        clock_steady: 'ok',
        clock_stored: 'ok',
        writing: 'ok',
        recording: 'ok',
      },
    });
    expect(await (await fetch(`${url}/metrics`)).text())
      .to.include('tagtrail_http_requests_total')
      .and.include('tagtrail_check_up{check="database"} 1\n');
    program.child.kill('SIGTERM');
    expect(await program.ended).to.equal(0);
    expect(program.stderr()).to.equal('');
  });
});
