import { expect } from 'chai';
import { pino } from 'pino';
import { addressOf } from '../../../db/timescale/connections/addresses.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig } from '../../support/api.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { serverUrl, useDatabase } from '../../support/database.ts';
import { startPgBouncer, usePgBouncer } from '../../support/pgbouncer.ts';

const IGNORING = 'ignore_startup_parameters = options,extra_float_digits';

describe('DATABASE_URL that leads through PgBouncer', () => {
  usePgBouncer();
  const database = useDatabase();
  let url: string;
  const { tagtrail } = commandLineOn(() => ({ url }));

  for (const [settings, fault] of [
    [['pool_mode = transaction'], /it refuses start-up options \(.*options.*\)/],
    [['pool_mode = session', IGNORING], /it ignores start-up options, so queries would run as \w+,/],
    [['pool_mode = transaction', IGNORING], /it ignores start-up options, so queries would run as \w+,/],
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
        /^DATABASE_URL \(127.0.0.1:\d+\/\w+\) leads through a connection pooler: .*; let LISTEN_DATABASE_URL lead to PostgreSQL itself$/;
      expect(error).to.have.property('message').that.matches(line);
      for (const command of [['org', 'list'], ['migrate']]) {
        const { status, stdout, stderr } = await tagtrail(...command);
        expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr.trimEnd()).to.match(fault).and.to.match(line);
      }
      const { status, stdout } = await tagtrail('doctor');
      expect(status).to.equal(1);
      expect(stdout).to.include('Let LISTEN_DATABASE_URL lead to PostgreSQL itself');
    });
  }

  it('is refused beside LISTEN_DATABASE_URL if transactions cannot go there, or lead to another database', async () => {
    const statements = await startPgBouncer(database, ['pool_mode = statement']);
    const elsewhere = withDatabase(serverUrl(), 'postgres');
    for (const [pooled, fault] of [
      [
        statements,
        /^DATABASE_URL \(127.0.0.1:\d+\/\w+\) leads through a pooler that cannot be used: it refuses a statement/,
      ],
      [
        elsewhere,
        /it leads to another database than LISTEN_DATABASE_URL; let it lead through one in transaction/,
      ],
    ] as const) {
      const address = addressOf({ direct: database.url, pooled });
      const error = await requireReachable(address, 'tagtrail_api').catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'misconfigured');
      expect(error).to.have.property('message').that.matches(fault);
    }
    const both = { direct: statements, pooled: statements };
    const error = await requireReachable(addressOf(both)).catch((thrown: unknown) => thrown);
    expect(error)
      .to.have.property('message')
      .that.matches(/^LISTEN_DATABASE_URL \(.*; let it lead to PostgreSQL/);
  });
});
