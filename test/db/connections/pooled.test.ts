import type { Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { openAccessDoor } from '../../../db/timescale/connections/access-door.ts';
import { addressesOf, addressOf } from '../../../db/timescale/connections/addresses.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createClient } from '../../../db/timescale/connections/pooled-client.ts';
import { PrecededQuery } from '../../../db/timescale/connections/preceded-query.ts';
import { serviceConfig } from '../../../db/timescale/connections/service-connections.ts';
import { withSnapshot } from '../../../db/timescale/connections/snapshot.ts';
import { inSnapshot, inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { exportRows } from '../../../db/timescale/erase/export-rows.ts';
import type { BinaryValues } from '../../../db/timescale/queries/array-parameters.ts';
import { copyRows } from '../../../db/timescale/queries/copy-rows.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';
import { startPgBouncer, usePgBouncer } from '../../support/pgbouncer.ts';
import { Site } from '../../support/site.ts';
import { openSlicingProxy } from '../../support/slicing-proxy.ts';

const STATE = `select current_user::text as role, current_setting('tagtrail.org_id', true) as org_id,
  current_setting('timezone') as zone, current_setting('statement_timeout') as timeout, pg_backend_pid() as pid`;

describe('connections through PgBouncer in transaction mode', () => {
  usePgBouncer();
  const database = useDatabase();
  let address: string;
  let pooled: string;
  let pool: Pool;
  let door: OrganizationDoor;
  let ours: Site;
  let theirs: Site;
  before(async () => {
    ours = await Site.create(database, 'Ours');
    theirs = await Site.create(database, 'Theirs');
    await ours.asset('OUR-ASSET');
    await theirs.asset('THEIR-ASSET');
    // Fewer than connect: all of them share these.
    pooled = await startPgBouncer(database, ['pool_mode = transaction', 'default_pool_size = 2']);
    address = addressOf({ direct: database.url, pooled });
    pool = createWritePool(address, { max: 3, patience: { statement: 12_345, answer: 60_000 } });
    door = openOrganizationDoor(address, { max: 8 });
    database.beforeDrop(() => Promise.all([pool.end(), door.end()]));
  });

  const state = { ...sql.type(rowsOf<Record<string, unknown>>())`select`, sql: STATE, name: 'state' };
  const KEYS = sql.prepared('keys', rowsOf<{ external_key: string }>())`select external_key from assets`;

  it('keep organizations apart on sessions that all share, whichever door, and leave nothing behind', async () => {
    const access = openAccessDoor(address, { max: 2 });
    const asked = Array.from({ length: 70 }, (_, index) => (index % 2 === 0 ? ours : theirs));
    const options = { isBrief: false, signal: undefined };
    const [answers, roles, written] = await Promise.all([
      Promise.all(
        asked.map(async ({ orgId }, index) => {
          const db = door.of(orgId);
          return index % 7 === 0
            ? db.transaction((transaction) => transaction.any(KEYS))
            : (index % 31 === 0 ? db.listing(options) : db).any(KEYS);
        }),
      ),
      Promise.all(asked.map(() => access.one(state))),
      Promise.all(asked.map(() => pool.one(state))),
    ]);
    answers.forEach((rows, index) => {
      expect(rows).to.deep.equal([{ external_key: asked[index] === ours ? 'OUR-ASSET' : 'THEIR-ASSET' }]);
    });
    const { username } = new URL(database.url);
    expect(new Set(roles.map(({ role }) => role))).to.deep.equal(new Set(['tagtrail_access']));
    for (const { role, zone, timeout } of written) {
      expect({ role, zone, timeout }).to.deep.equal({ role: username, zone: 'UTC', timeout: '12345ms' });
    }
    await access.end();

    const raw = new pg.Client({ connectionString: addressesOf(address).pooled ?? '' });
    await raw.connect();
    const { rows } = await raw.query(STATE);
    expect(rows[0]).to.include({ role: username, org_id: '', timeout: '0' });
    await raw.end();
  });

  it('send nothing of a transaction before the last one is over, so that none comes to two sessions', async () => {
    const sliced = await openSlicingProxy(database, pooled);
    const slow = openOrganizationDoor(addressOf({ direct: database.url, pooled: sliced }), { max: 8 });
    database.beforeDrop(() => slow.end());
    const asked = Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? ours : theirs));
    const answers = await Promise.all(
      asked.map(({ orgId }, index) =>
        index % 5 === 0
          ? slow.of(orgId).transaction((transaction) => transaction.any(KEYS))
          : slow.of(orgId).any(KEYS),
      ),
    );
    expect(answers.map(([row]) => row?.external_key)).to.deep.equal(
      asked.map((site) => (site === ours ? 'OUR-ASSET' : 'THEIR-ASSET')),
    );
  });

  it('send nothing of a transaction that was given up before it could begin', async () => {
    const client = createClient(
      serviceConfig(address, { max: 1, patience: { statement: 30_000, answer: 100 } }),
    );
    await client.connect();
    const slow = new PrecededQuery([], { text: 'select pg_sleep(0.5)' });
    client.query(Object.assign(slow, { query_timeout: 60_000, callback: () => {} }));
    const { stream } = client.connection as unknown as { stream: Socket };
    const { bytesWritten } = stream;
    const outcomes = await Promise.allSettled([client.query('begin'), client.query('select 1')]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(stream).to.include({ bytesWritten, destroyed: true });
  });

  it('begin each transaction with their settings, which a failed one does not outlive', async () => {
    const inTwo = await inTransaction(pool, async (client) => [
      await client.one(state),
      await client.one(state),
    ]);
    expect(inTwo.map(({ zone, timeout }) => [zone, timeout])).to.deep.equal(
      Array(2).fill(['UTC', '12345ms']),
    );
    const failed = await inTransaction(pool, (client) => client.query('select 1 / 0')).catch(
      (e: unknown) => e,
    );
    expect(failed).to.have.property('code', '22012');
    expect(await pool.one(state)).to.include({ zone: 'UTC', timeout: '12345ms' });
  });

  it('run nothing at all if their role is refused', async () => {
    const stranger = `stranger_${ours.orgId}_${process.pid}`;
    await database.rows(`create role ${stranger} login password 'stranger'`);
    const pooled = new URL(database.url);
    Object.assign(pooled, { username: stranger, password: 'stranger' });
    const access = openAccessDoor(addressOf({ direct: database.url, pooled: pooled.href }), { max: 1 });
    const error = await access.one(state).catch((thrown: unknown) => thrown);
    await access.end();
    await database.rows(`drop role ${stranger}`);
    expect(error).to.be.instanceOf(pg.DatabaseError).and.to.have.property('code', '42501');
  });

  it('find other sessions when those of the pooler were ended', async () => {
    const { pid } = await pool.one(state);
    await database.rows('select pg_terminate_backend($1)', [pid]);
    const again = async (): Promise<unknown> => (await pool.one(state).catch(() => again())) as unknown;
    expect(await again()).to.have.property('zone', 'UTC');
    expect(
      await door
        .of(ours.orgId)
        .any(KEYS)
        .catch(() => door.of(ours.orgId).any(KEYS)),
    ).to.have.length(1);
  });

  it('copy in transactions, and nowhere else', async () => {
    await database.rows('create table copied (value integer)');
    const write = (into: BinaryValues, value: number) => into.integer(value);
    const target = { table: 'copied', columns: ['value'] };
    const copied = await inTransaction(pool, (client) => copyRows(client, target, [1, 2, 3], write));
    expect(copied).to.equal(3);
    const client = await pool.connect();
    const refused = await copyRows(client, target, [4], write).catch((error: unknown) => error);
    client.release();
    expect(refused).to.have.property('message').that.includes('transactions only');
    expect(await database.rows('select value from copied')).to.have.length(3);
  });

  it('read a snapshot by a cursor', async () => {
    const signal = new AbortController().signal;
    const found = await withSnapshot(address, { orgId: ours.orgId, signal }, async (snapshot) => {
      const batches: unknown[] = [];
      for await (const rows of snapshot.batches(KEYS)) {
        batches.push(...rows);
      }
      return batches;
    });
    expect(found).to.deep.equal([{ external_key: 'OUR-ASSET' }]);
  });

  it('read as of one instant, as exports do', async () => {
    const counts = await inSnapshot(pool, async (client) => {
      const count = async () => (await client.query('select count(*) from assets')).rows[0];
      const before = await count();
      await theirs.asset('LATER');
      return [before, await count()];
    });
    expect(counts[1]).to.deep.equal(counts[0]);
    const exported: string[] = [];
    await exportRows(pool, ours.orgId, async (table, lines) => {
      exported.push(...(table === 'assets' ? lines : []));
    });
    expect(exported).to.have.length(1);
  });
});
