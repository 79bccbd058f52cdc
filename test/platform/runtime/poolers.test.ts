import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig } from '../../support/api.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { startPgBouncer, usePgBouncer } from '../../support/pgbouncer.ts';

const IGNORING = 'ignore_startup_parameters = options,extra_float_digits';

describe('DATABASE_URL that leads through PgBouncer', function () {
  this.timeout(60_000);
  usePgBouncer();
  const database = useDatabase();
  let url: string;
  const { tagtrail } = commandLineOn(() => ({ url }));

  for (const [settings, fault] of [
    [['pool_mode = transaction'], /it refuses start-up options \(.*options.*\)/],
    [['pool_mode = session', IGNORING], /it ignores start-up options, so that queries would run as \w+,/],
    [['pool_mode = transaction', IGNORING], /it ignores start-up options, so that queries would run as \w+,/],
  ] as const) {
    it(`is refused at the start and by commands, and found by doctor (${settings})`, async () => {
      url = await startPgBouncer(database, settings);
      const lifecycle = new Lifecycle(pino({ level: 'silent' }));
      const error = await startApi(apiConfig(url), pino({ level: 'silent' }), lifecycle).catch(
        (e: unknown) => e,
      );
      await lifecycle.stop();
      expect(error).to.have.property('code', 'misconfigured');
      expect(error).to.have.property('message').that.matches(fault);
      const line =
        /^DATABASE_URL \(127.0.0.1:\d+\/\w+\) leads through a connection pooler: .*; let it lead to PostgreSQL itself$/;
      expect(error).to.have.property('message').that.matches(line);
      for (const command of [['org', 'list'], ['migrate']]) {
        const { status, stdout, stderr } = await tagtrail(...command);
        expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr.trimEnd()).to.match(fault).and.to.match(line);
      }
      const { status, stdout } = await tagtrail('doctor');
      expect(status).to.equal(1);
      expect(stdout).to.include('DATABASE_URL').and.to.include('to PostgreSQL itself');
    });
  }
});
