import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Client, type Pool } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { asStandbys, withDatabase } from '../../db/timescale/connections/database-url.ts';
import { examineReplica } from '../../db/timescale/connections/examine-replica.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { createOrganization } from '../../domain/administration/organizations/organizations.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { requireReplica } from '../../platform/runtime/require-database.ts';
import { startApi } from '../../services/api/start.ts';
import { examineReadUrl } from '../../services/cli/doctor/database.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { apiConfig } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { startPgBouncer, usePgBouncer } from '../support/pgbouncer.ts';
import { type ReplicatedDatabase, startReplicated } from '../support/replicated-database.ts';
import { until } from '../support/subscribed-ingest.ts';

const LONG = { isBrief: false, signal: undefined };

describe('a replica that lists are read from', () => {
  let database: ReplicatedDatabase;
  let pool: Pool;
  let standby: Client;
  let door: OrganizationDoor;
  let readUrl: string;
  before(async () => {
    database = await startReplicated();
    readUrl = asStandbys(database.standby);
    pool = createWritePool(database.primary, { max: 2 });
    standby = new Client(connectionConfig(database.standby));
    standby.on('error', () => {});
    await standby.connect();
    // It is to lag, and may be lost.
    await pool.query('alter system reset synchronous_standby_names');
    await pool.query('select pg_reload_conf()');
    await pool.query('create table written (number integer primary key)');
    await pool.query('grant select on written to tagtrail_api');
    door = openOrganizationDoor(database.primary, { max: 4, scanTimeout: 60_000, readUrl });
  });
  after(async () => {
    await door?.end();
    await standby?.end();
    await pool?.end();
    await database?.remove();
  });

  let written = 0;
  const write = async () => {
    written += 1;
    await pool.query('insert into written values ($1)', [written]);
  };
  const list = () =>
    door
      .of(1)
      .listing(LONG)
      .one(sql.type(rowsOf<{ newest: number; is_replica: boolean }>())`
      select max(number) as newest, pg_is_in_recovery() as is_replica from written`);
  /** Looks for a minute on the replica only. */
  const lookAtLength = () =>
    door
      .of(1)
      .listing(LONG)
      .one(sql.type(rowsOf<{ newest: number; is_replica: boolean }>())`
      select max(number) as newest, pg_is_in_recovery() as is_replica,
        case when pg_is_in_recovery() then pg_sleep(50)::text end as slept
      from written`);
  const lookingOnReplica = async () => {
    const { rowCount } = await standby.query(
      "select from pg_stat_activity where wait_event = 'PgSleep' and application_name like '% lists'",
    );
    return rowCount === 1;
  };
  const untilOnReplica = () => until(async () => (await list()).is_replica);
  /** Asks at length until the replica is the one that looks: the first time, unless it is skipped then. */
  const lookOnReplica = async () => {
    for (;;) {
      await untilOnReplica();
      let isAnswered = false;
      const answer = lookAtLength().finally(() => {
        isAnswered = true;
      });
      await until(async () => isAnswered || (await lookingOnReplica()));
      if (!isAnswered) {
        return { answer };
      }
    }
  };

  it('answers with all that was written before', async () => {
    for (let byReplica = 0; byReplica < 100; ) {
      await write();
      const { newest, is_replica } = await list();
      expect(newest).to.equal(written);
      byReplica += is_replica ? 1 : 0;
    }
  });

  it('leaves what is compared with the primary to the primary', async () => {
    await untilOnReplica();
    const fromPrimary = { ...LONG, fromPrimary: true };
    const row = await door
      .of(1)
      .listing(fromPrimary)
      .one(sql.type(rowsOf<{ is_replica: boolean }>())`select pg_is_in_recovery() as is_replica`);
    expect(row.is_replica).to.equal(false);
  });

  it('is not asked for what it does not have', async () => {
    await standby.query('select pg_wal_replay_pause()');
    await until(async () => {
      const { rows } = await standby.query('select pg_get_wal_replay_pause_state() as state');
      return rows[0]?.state === 'paused';
    });
    await write();
    for (let time = 0; time < 3; time++) {
      expect(await list()).to.deep.equal({ newest: written, is_replica: false });
    }
    await standby.query('select pg_wal_replay_resume()');
    await untilOnReplica();
    expect((await list()).newest).to.equal(written);
  });

  it('leaves a list that it cancels for what it replays to the primary', async () => {
    await standby.query("alter system set max_standby_streaming_delay = '10ms'");
    await standby.query('select pg_reload_conf()');
    const { answer } = await lookOnReplica();
    await pool.query('alter table written add column note text');
    expect(await answer).to.include({ newest: written, is_replica: false });
  });

  it('answers all lists and reports of the API that may read much', async () => {
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const registry = new Registry();
    try {
      const config = { ...apiConfig(database.primary), DATABASE_READ_URL: readUrl };
      const { url } = await startApi(config, log, lifecycle, { registry });
      const { id: orgId } = await createOrganization(databaseOn(pool), TEST_ACTOR, 'Acme');
      const { key } = await createApiKey(databaseOn(pool), TEST_ACTOR, {
        ...{ orgId, name: 'test', scopes: PUBLIC_SCOPES, expiresAt: null },
      });
      const call = (path: string, init: RequestInit = {}) =>
        fetch(`${url}/api/v1${path}`, {
          ...init,
          headers: { Authorization: `Bearer ${key}`, ...init.headers },
        });
      for (const [path, external_key] of [
        ['/assets', 'PALLET-1'],
        ['/locations', 'DOCK-1'],
        ['/locations', 'DOCK-2'],
      ] as const) {
        const created = await call(path, {
          ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
          body: JSON.stringify({ external_key, name: external_key }),
        });
        expect(created.status).to.equal(201);
      }
      const past = new Date(Date.now() - 3_600_000).toISOString();
      const window = `from=${past}&to=${new Date(Date.now() - 60_000).toISOString()}`;
      const answeredBy = async () => {
        const [found] = await registry
          .getMetricsAsJSON()
          .then((metrics) => metrics.filter(({ name }) => name === 'tagtrail_replica_lists_total'));
        const values = (found as unknown as { values: { labels: { answered_by: string }; value: number }[] })
          .values;
        return values.find(({ labels }) => labels.answered_by === 'replica')?.value ?? 0;
      };
      for (const path of [
        '/assets?q=pall&limit=1',
        '/assets?offset=100000',
        '/locations?q=dock',
        '/reports/asset-locations?offset=100000',
        `/reports/dwell?${window}`,
        `/reports/turns?${window}&from_location_external_key=DOCK-1&to_location_external_key=DOCK-2`,
        `/reports/stays?${window}`,
        `/reports/sweeps?${window}&offset=100000`,
        `/reports/positions-at?at=${past}`,
        '/reports/presence',
        '/alerts?offset=100000',
      ]) {
        const before = await answeredBy();
        await until(async () => {
          const response = await call(path);
          expect(response.status, `${path} ${await response.clone().text()}`).to.equal(200);
          if (path === '/assets?q=pall&limit=1') {
            expect(await response.json()).to.include({ total_count: 1 });
          }
          return (await answeredBy()) > before;
        });
      }
    } finally {
      await lifecycle.stop();
    }
  });

  it('has to be a standby of the same database, without a pooler between', async () => {
    expect(await examineReplica(database.primary, readUrl)).to.include({ state: 'usable' });
    expect(await examineReadUrl(database.primary, readUrl)).to.include({ check: 'replica', status: 'ok' });
    const log = pino({ level: 'silent' });
    const elsewhere = withDatabase(readUrl, 'postgres');
    const error = await requireReplica(
      { DATABASE_URL: database.primary, DATABASE_READ_URL: elsewhere },
      log,
    ).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'misconfigured' });
    expect(error)
      .to.have.property('message')
      .that.matches(
        /^DATABASE_READ_URL \(127\.0\.0\.1:\d+\/postgres\) cannot be used: it leads to another database/,
      );
    expect(await examineReadUrl(database.primary, elsewhere)).to.include({ status: 'fault' });
    // It may be a standby again at any time.
    const primary = asStandbys(database.primary);
    await requireReplica({ DATABASE_URL: database.primary, DATABASE_READ_URL: primary }, log);
    expect(await examineReadUrl(database.primary, primary)).to.include({ status: 'warning' });
  });

  describe('through PgBouncer', () => {
    usePgBouncer();

    it('is refused', async () => {
      const stops: (() => Promise<void>)[] = [];
      const behind = {
        url: database.standby,
        beforeDrop: (stop: () => Promise<void>) => stops.push(stop),
      } as unknown as TestDatabase;
      try {
        for (const settings of [
          ['pool_mode = transaction'],
          ['pool_mode = session', 'ignore_startup_parameters = options,extra_float_digits'],
        ]) {
          const url = asStandbys(await startPgBouncer(behind, settings));
          expect(await examineReplica(database.primary, url)).to.include({ state: 'unusable' });
        }
      } finally {
        await Promise.all(stops.map((stop) => stop()));
      }
    });
  });

  // After all else.
  describe('that is lost', () => {
    it('leaves lists to the primary, also those under way', async () => {
      const { answer } = await lookOnReplica();
      database.killStandby();
      expect(await answer).to.include({ newest: written, is_replica: false });
      for (let time = 0; time < 20; time++) {
        await write();
        expect(await list()).to.deep.equal({ newest: written, is_replica: false });
      }
    });
  });
});
