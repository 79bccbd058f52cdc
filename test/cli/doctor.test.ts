import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { expect } from 'chai';
import { Client } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { AlertTurns } from '../../domain/alerts/deriving/take-turn.ts';
import { JOBS_OF_EVERY_WORKER } from '../../domain/health/jobs.ts';
import { examineServer } from '../../domain/health/server.ts';
import { examineDisk } from '../../services/cli/doctor/examine.ts';
import { commandLineOn, runCommand } from '../support/command-line.ts';
import { serverUrl, useDatabase } from '../support/database.ts';
import { expectFinding, runDoctor } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { startPgBouncer, usePgBouncer } from '../support/pgbouncer.ts';
import { Site } from '../support/site.ts';
import { startWorker } from '../support/worker.ts';

describe('doctor', () => {
  const database = useDatabase();
  const { tagtrail } = commandLineOn(() => database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-doctor-'));
  after(() => rmSync(folder, { recursive: true }));
  /** On the suite's database if nothing else is said. */
  const doctor = (environment: NodeJS.ProcessEnv = {}) =>
    runDoctor({ DATABASE_URL: database.url, TAGTRAIL_DATA: join(folder, 'none'), ...environment });
  const withUrl = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return { DATABASE_URL: url.href };
  };

  it('tells of ids of which half are used', async () => {
    expect((await doctor()).of('ids')[0]?.status).to.equal('ok');
    await database.rows(`select setval('tags_id_seq', 1200000000)`);
    expectFinding((await doctor()).of('ids'), 'warning', '55 % are used for tags', 'nothing can be created');
    await database.rows(`select setval('tags_id_seq', 1)`);
  });

  it('finds nothing at fault on a database that is all right', async () => {
    const { isAtFault, of } = await doctor();
    expect(isAtFault).to.equal(false);
    for (const check of ['settings', 'database', 'durability', 'connections', 'clock', 'schema', 'roles']) {
      expect(of(check), check).to.have.length(1);
    }
    expect(of('schema')[0]).to.deep.include({ status: 'ok', remedy: null });
    expectFinding(of('readers'), 'warning', 'none', 'reader create');
    const [hypertables] = of('hypertables');
    const isTimescale = process.env['TEST_REQUIRE_TIMESCALEDB'] === '1';
    expect(hypertables?.status).to.equal(isTimescale ? 'ok' : hypertables?.status);
    expect(hypertables?.message).to.include('TimescaleDB');
  });

  it('tells whether alerts are derived where there are rules', async () => {
    const found = async () => (await doctor()).of('alerts')[0]?.message;
    expect(await found()).to.equal('No rules');
    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, lpad('1', 26, '0'), 1, now(), false, 'overdue', 'R', '[]', '{}')`,
      [orgId],
    );
    expectFinding((await doctor()).of('alerts'), 'fault', 'No process derives them', 'Start a worker');
    await new AlertTurns(database.pool).take();
    expect(await found()).to.equal('0 are not over');
    await database.rows(`update alert_derivation set caught_up_at = now() - interval '2 minutes'`);
    expectFinding((await doctor()).of('alerts'), 'warning', 'seconds behind', 'Wait');
    await database.rows(
      `insert into alert_faults (org_id, derived_to, reason) values ($1, now() - interval '3 minutes', 'no hours')`,
      [orgId],
    );
    await database.rows('update alert_derivation set caught_up_at = now()');
    const named = `Organization ${orgId} (Acme): its alerts cannot be derived (no hours) and are 3 minutes old`;
    expectFinding((await doctor()).of('alerts'), 'fault', named, `rule list --org ${orgId}`);
    await database.rows('delete from alert_faults');
    await database.rows('delete from rules');
  });

  it('tells that no worker runs, or that none does a job', async () => {
    expectFinding((await doctor()).of('jobs'), 'fault', 'No worker runs: moves, alerts', 'tagtrail-worker@1');
    const worker = await startWorker(database);
    expect((await doctor()).of('jobs')[0]?.status).to.equal('ok');
    await worker.stop();
    const holder = await database.pool.connect();
    for (const [job, lock] of JOBS_OF_EVERY_WORKER) {
      if (job !== 'retain') {
        await holder.query('select pg_advisory_lock($1)', [lock]);
      }
    }
    expectFinding((await doctor()).of('jobs'), 'fault', 'No process does these jobs: retain', 'log');
    holder.release(true);
  });

  it('tells of events of the move feed that nobody seals', async () => {
    expect((await doctor()).of('move feed')[0]?.status).to.equal('ok');
    const { orgId, asset } = await Site.create(database).then(async (site) => ({
      orgId: site.orgId,
      asset: await site.asset('PALLET'),
    }));
    await database.rows(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at)
       select $1, $2, 'moved', now() - interval '90 seconds' from generate_series(1, 3)`,
      [orgId, asset],
    );
    expectFinding(
      (await doctor()).of('move feed'),
      'warning',
      '3 events wait to be sealed, the first for 9',
      'Start',
    );
    await database.rows('delete from unsealed_moves');
    expect((await doctor()).of('move feed')[0]?.status).to.equal('ok');
  });

  describe('of MIGRATE_DATABASE_URL', () => {
    usePgBouncer();
    const migrating = async (url: string) =>
      (await doctor({ MIGRATE_DATABASE_URL: url })).of('way of migrations');

    it('finds that it leads through a pooler, to another database, or nowhere', async () => {
      expect((await doctor()).of('way of migrations')).to.deep.equal([]);
      expect((await migrating(database.url))[0]?.status).to.equal('ok');
      const pooled = await startPgBouncer(database, ['pool_mode = transaction']);
      const through = /^MIGRATE_DATABASE_URL \(127.0.0.1:\d+\/\w+\) leads through a connection pooler: it /;
      const [finding] = await migrating(pooled);
      expect(finding?.message).to.match(through);
      expect(finding).to.include({ status: 'fault' });
      expect(finding?.remedy).to.match(/^Let it lead to PostgreSQL itself/);
      const other = await startEmbedded({ data: join(folder, 'other'), durable: false });
      database.beforeDrop(() => other.stop());
      const ofSameName = withDatabase(other.url, new URL(database.url).pathname.slice(1));
      await createDatabase(ofSameName);
      expectFinding(await migrating(ofSameName), 'fault', 'leads to another database', 'Let it lead to');
      const nowhere = new URL(database.url);
      nowhere.port = String(await freePort());
      expectFinding(await migrating(nowhere.href), 'fault', 'cannot be reached', 'MIGRATE_DATABASE_URL');
    });
  });

  it('shows people what is wrong and what to do', async () => {
    const { stdout } = await runCommand(['doctor'], { DATABASE_URL: database.url });
    expect(stdout).to.match(/warning {2}readers: .*\n +-> .*reader create/);
    expect(stdout).to.match(/\d faults?, \d warnings?\n$/);
  });

  it('names every setting that is not usable', async () => {
    const { isAtFault, of } = await doctor({ API_PORT: 'http', LOG_LEVEL: 'loud' });
    expect(isAtFault).to.equal(true);
    expect(of('settings').map(({ message }) => message)).to.deep.equal([
      'API_PORT is "http"',
      'LOG_LEVEL is "loud"',
    ]);
    expect(of('settings')[0]?.remedy).to.include('set API_PORT to a whole number');
  });

  it('sees that scans are kept for less long than they may be late', async () => {
    const { of } = await doctor({ SCAN_RETENTION_DAYS: '3' });
    expectFinding(of('settings'), 'fault', 'less than LATENESS_DAYS', 'set SCAN_RETENTION_DAYS');
  });

  it('finds nobody listening', async () => {
    const port = String(await freePort());
    const { isAtFault, of } = await doctor(
      withUrl((url) => {
        url.port = port;
      }),
    );
    expect(isAtFault).to.equal(true);
    expectFinding(of('database'), 'fault', `:${port}`, 'Start PostgreSQL');
  });

  it('finds a wrong password, and does not repeat it', async () => {
    const { isAtFault, of } = await doctor(
      withUrl((url) => {
        url.username = 'nobody';
        url.password = 'hunter2';
      }),
    );
    expect(isAtFault).to.equal(true);
    expect(of('database')[0]?.remedy).to.match(/user/);
    expect(JSON.stringify(of('database'))).to.not.include('hunter2');
  });

  it('finds that there is no such database', async () => {
    const { of } = await doctor(
      withUrl((url) => {
        url.pathname = '/nowhere';
      }),
    );
    expectFinding(of('database'), 'fault', 'nowhere', 'Create the database');
  });

  it('finds a database that is not migrated', async () => {
    const { isAtFault, of } = await doctor(
      withUrl((url) => {
        url.pathname = '/template1';
      }),
    );
    expect(isAtFault).to.equal(true);
    expectFinding(of('schema'), 'fault', 'not migrated', 'tagtrail migrate');
  });

  it('finds a database of a newer version', async () => {
    await database.rows(`insert into schema_migrations (name) values ('9999-from-the-future')`);
    const { of } = await doctor();
    await database.rows(`delete from schema_migrations where name = '9999-from-the-future'`);
    expectFinding(of('schema'), 'fault', '9999-from-the-future', 'newer one');
  });

  it('finds a user who may not act as the roles', async () => {
    const user = `limited_${process.pid}`;
    const server = new Client(connectionConfig(serverUrl()));
    await server.connect();
    await server.query(`create role ${user} login password 'limited'`);
    await database.rows(`grant select on schema_migrations to ${user}`);
    const { of } = await doctor(
      withUrl((url) => {
        url.username = user;
        url.password = 'limited';
      }),
    );
    await database.rows(`drop owned by ${user}`);
    await server.query(`drop role ${user}`);
    await server.end();
    expectFinding(of('roles'), 'fault', 'tagtrail_api', `grant tagtrail_api`);
  });

  it('finds that commits can be lost', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.rows(`alter database ${name} set synchronous_commit = off`);
    const { of } = await doctor();
    await database.rows(`alter database ${name} reset synchronous_commit`);
    expectFinding(of('durability'), 'fault', 'synchronous_commit', 'synchronous_commit = on');
  });

  it('finds a database that takes no changes', async () => {
    const client = new Client(connectionConfig(database.url));
    await client.connect();
    const changes = async () =>
      (await examineServer(client, Date.now)).filter(({ check }) => check === 'changes');
    expect(await changes()).to.deep.equal([]);
    await client.query('set default_transaction_read_only = on');
    const found = await changes();
    await client.end();
    expectFinding(found, 'fault', 'default_transaction_read_only is on', 'reset it');
  });

  it('finds clocks that differ', async () => {
    const client = new Client(connectionConfig(database.url));
    await client.connect();
    const clockAt = async (ahead: number) =>
      (await examineServer(client, () => Date.now() + ahead)).find(({ check }) => check === 'clock');
    expect(await clockAt(0)).to.include({ status: 'ok' });
    expect(await clockAt(4_000)).to.include({ status: 'warning' });
    expect(await clockAt(6_000)).to.include({ status: 'fault' });
    const behind = await clockAt(-3_600_000);
    await client.end();
    expect(behind).to.include({ status: 'fault' });
    expect(behind?.message).to.match(/3[56]\d\d\.\d s behind/);
  });

  it('finds a full disk', () => {
    expect(examineDisk('/data', 1024 ** 2)).to.include({ status: 'fault' });
    expect(examineDisk('/data', 1024 ** 3)).to.include({ status: 'warning' });
    expect(examineDisk(folder).message).to.include('GiB are free');
  });

  it('finds that there is no database yet, and makes none', async () => {
    const { isAtFault, of } = await doctor({ DATABASE_URL: '' });
    expect(isAtFault).to.equal(false);
    expectFinding(of('database'), 'warning', 'DATABASE_URL is not set', 'npm start');
  });

  describe('on a broker', () => {
    let server: Server | undefined;
    afterEach(() => server?.close());
    async function brokerThat(lets: boolean): Promise<string> {
      const broker = await Aedes.createBroker({
        authenticate: (_client, _username, _password, done) =>
          lets ? done(null, true) : done(Object.assign(new Error('no'), { returnCode: 4 }), null),
      });
      server = createServer(broker.handle);
      server.once('close', () => broker.close());
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      return `mqtt://u:hunter2@127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    }

    it('is let in', async () => {
      const { of } = await doctor({ MQTT_URL: await brokerThat(true) });
      expect(of('broker')[0]).to.include({ status: 'ok' });
    });

    it('finds that it refuses us', async () => {
      const { isAtFault, of } = await doctor({ MQTT_URL: await brokerThat(false) });
      expect(isAtFault).to.equal(true);
      expectFinding(of('broker'), 'fault', 'refuses us', 'user and password in MQTT_URL');
      expect(JSON.stringify(of('broker'))).to.not.include('hunter2');
    });

    it('finds that there is none', async () => {
      const { of } = await doctor({ MQTT_URL: `mqtt://127.0.0.1:${await freePort()}` });
      expectFinding(of('broker'), 'fault', 'cannot be reached', 'Start the broker');
    });
  });

  it('finds that Kafka is not there', async () => {
    const port = await freePort();
    const { of } = await doctor({
      KAFKA_URL: `kafka://u:hunter2@127.0.0.1:${port}`,
      KAFKA_TOPICS: 'readers',
    });
    expectFinding(of('kafka'), 'fault', `Kafka does not let us in at 127.0.0.1:${port}`, 'KAFKA_URL');
    expect(JSON.stringify(of('kafka'))).to.not.include('hunter2');
  });

  it('finds that rate limits cannot be shared', async () => {
    const { isAtFault, of } = await doctor({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect(isAtFault).to.equal(false);
    expectFinding(of('rate limits'), 'warning', 'counts alone', 'REDIS_URL');
  });

  describe('on readers', () => {
    it('finds those that are silent, never heard from, nowhere, or speak what nobody knows', async () => {
      const site = await Site.create(database);
      const dock = await site.location('DOCK-1');
      const heard = await site.reader('Heard', [dock]);
      const silent = await site.reader('Silent', [dock]);
      await site.reader('Unheard', [dock]);
      const strange = await site.reader('Strange', [dock], { format: 'klingon' });
      await site.reader('New', [dock], { format: 'none' });
      const nowhere = await site.reader('Nowhere', [dock, null]);
      // Rooms and gateways have names: nothing is read at port 1.
      const rooms = await site.reader('Rooms', [null], { format: 'espresense' });
      await database.rows(
        `insert into reader_counters (org_id, reader_id, last_message_at)
         select $1, id, now() - case when id = $2 then interval '2 days' else interval '1 minute' end
         from unnest($3::integer[]) id`,
        [site.orgId, silent, [heard, silent, strange, nowhere, rooms]],
      );
      await database.rows(
        `insert into reader_spans (org_id, reader_id, state, started_at)
         values ($1, $2, 'silent', '2026-05-01 10:00:00Z')`,
        [site.orgId, silent],
      );
      await database.rows(
        `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256)
         values ($1, $2, 't', 'not JSON', now(), '', 0, sha256(''))`,
        [site.orgId, heard],
      );
      const { isAtFault, of } = await doctor();
      expect(isAtFault).to.equal(true);
      const [format, noFormat, quiet, never, unplaced, ...others] = of('readers');
      expect(others).to.deep.equal([]);
      expect(format).to.include({ status: 'fault' });
      expect(format?.message).to.match(/Strange.*klingon.*are rejected/);
      expect(noFormat).to.include({ status: 'warning' });
      expect(noFormat?.message).to.match(/^New .* has no format yet: all its messages will be rejected/);
      expect(quiet?.message).to.match(/Cannot be heard: Silent \(reader \d+\) since 2026-05-01T10:00:00/);
      expect(never?.message).to.match(/Never heard from: Unheard \(/);
      expect(unplaced?.message).to.match(/Nowhere .*at no location \(2\)/);
      expect(unplaced?.remedy).to.include(`--reader ${nowhere} --port 2`);
      expectFinding(of('rejected messages'), 'warning', '1 in a week', 'rejected replay');
    });

    it('finds no fault in readers without a format that have sent nothing yet, however many', async () => {
      const site = await Site.create(database);
      for (let reader = 0; reader < 11; reader++) {
        await site.reader(`New ${reader}`, [], { format: 'none' });
      }
      const { of } = await doctor();
      const found = of('readers').filter(({ message }) => /^New \d|\d more readers/.test(message));
      expect(found.map(({ status }) => status)).to.deep.equal(found.map(() => 'warning'));
      expect(found.at(-1)?.message).to.match(/more readers have no format.*their messages will be rejected$/);
    });

    it('names those that could overwrite what is published', async () => {
      const site = await Site.create(database);
      const forger = await site.reader('Forger', [], { topic: 'acme/track/7/assets/A-0/location' });
      await site.reader('Other', [], { topic: 'acme/dock' });
      expect((await doctor()).of('published topics')).to.deep.equal([]);
      const { of } = await doctor({ MQTT_MOVES_PREFIX: 'acme/track' });
      expectFinding(
        of('published topics'),
        'fault',
        `Forger (reader ${forger})`,
        `reader set --reader ${forger}`,
      );
      await database.rows('insert into mqtt_feeds (org_id, target, position) values ($1, $2, 0)', [
        site.orgId,
        JSON.stringify(['broker:1883', 'acme/track', null]),
      ]);
      expectFinding((await doctor()).of('published topics'), 'fault', 'acme/track/#', '--topic');
      await database.rows('delete from mqtt_feeds');
    });

    it('lets no name reach the terminal, nor begin a line of its own', async () => {
      const site = await Site.create(database);
      const hidden = '\u001b[2JNew\nok       readers: 1, none of them silent\u009b';
      await site.reader(hidden, [null], { format: `f${hidden}` });
      const { stdout } = await tagtrail('doctor');
      expect(stdout).to.include('\\u{1b}[2JNew\\u{a}ok       readers: 1, none of them silent\\u{9b} (reader');
      expect(stdout).to.not.match(/[^\P{C}\n]/u);
      expect(stdout).to.not.match(/^ok +readers/m);
    });
  });
});
