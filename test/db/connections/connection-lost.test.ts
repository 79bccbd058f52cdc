import { expect } from 'chai';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { ConnectionLost, isConnectionLost } from '../../../db/timescale/connections/connection-lost.ts';
import { PipelinedConnections } from '../../../db/timescale/connections/pipelined-connections.ts';
import { createPool, createWritePool } from '../../../db/timescale/connections/pool.ts';
import { serviceConfig } from '../../../db/timescale/connections/service-connections.ts';
import {
  CommitUnknown,
  inMarkedTransaction,
  inTransaction,
  wasCommitted,
} from '../../../db/timescale/connections/transaction.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/cutting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';

describe('an error behind which the connection is lost', () => {
  const database = useDatabase();
  const nowhere = { pool: undefined as unknown as Pool };
  let proxy: CuttingProxy;
  let pool: Pool;

  before(async () => {
    proxy = await openCuttingProxy(database);
    pool = createWritePool(proxy.url, { max: 1 });
    const url = new URL(database.url);
    url.host = `127.0.0.1:${await freePort()}`;
    nowhere.pool = createWritePool(url.href, { max: 1 });
    database.beforeDrop(() => Promise.all([pool.end(), nowhere.pool.end()]));
  });

  it('is not that of a bug, whatever its kind', async () => {
    for (const bug of [
      new Error('a bug'),
      new TypeError('a bug'),
      new AggregateError([new Error('a bug')]),
    ]) {
      const error = await inTransaction(pool, () => Promise.reject(bug)).catch((each) => each);
      expect(error).to.equal(bug);
      expect(isConnectionLost(error)).to.equal(false);
    }
  });

  it('is not that of a statement that `pg` refuses to send', async () => {
    const unnamed = inTransaction(pool, (client) => client.query({ text: '', values: 1 as unknown as [] }));
    expect(isConnectionLost(await unnamed.catch((each) => each))).to.equal(false);
  });

  it('is that of a statement whose connection is cut', async () => {
    proxy.cutNext('before commit', (bytes) => bytes.includes('select 77'));
    const error = await inTransaction(pool, (client) => client.query('select 77')).catch((each) => each);
    expect(error).to.be.instanceOf(ConnectionLost);
    expect(error.message).to.equal(error.cause.message);
    expect(isConnectionLost(error)).to.equal(true);
  });

  it('is that of a commit whose connection is cut, by what it is told as outcome unknown', async () => {
    proxy.cutNext('after commit');
    const plain = await inTransaction(pool, (client) => client.query('select 1')).catch((each) => each);
    expect(plain).to.include({ code: 'outcome_unknown' });
    proxy.cutNext('after commit');
    const marked = await inMarkedTransaction(pool, (client) => client.query('select 1')).catch(
      (each) => each,
    );
    expect(marked).to.be.instanceOf(CommitUnknown);
    expect(isConnectionLost(marked.cause)).to.equal(true);
  });

  it('is that of a question that nobody answers', async () => {
    const mark = { xid: '1', timeline: '00000001', databaseNow: 0, askedAt: 0 };
    const attempts = [
      () => inTransaction(nowhere.pool, async () => {}),
      () => inMarkedTransaction(nowhere.pool, async () => {}),
      () => wasCommitted(nowhere.pool, mark, async () => true),
    ];
    for (const attempt of attempts) {
      expect(isConnectionLost(await attempt().catch((each: unknown) => each))).to.equal(true);
    }
  });

  it('is that of a pool that no connection becomes free of', async () => {
    const config = serviceConfig(database.url, { max: 1 });
    const full = createPool({ ...config, connectionTimeoutMillis: 1_000 }, 1);
    const client = await full.connect();
    const error = await inTransaction(full, async () => {}).catch((each) => each);
    client.release();
    await full.end();
    expect(isConnectionLost(error)).to.equal(true);
  });

  it('is that of connections which many share, when one is cut and when none can be made', async () => {
    const preceding = { name: 'one', text: 'select 1', parameters: 0 };
    const open = (url: string) => new PipelinedConnections(serviceConfig(url, { max: 1 }), 1, [preceding]);
    const ask = (shared: PipelinedConnections) =>
      shared.query({ ...preceding, values: [] }, { text: 'select 78' }).catch((each: unknown) => each);
    const shared = open(proxy.url);
    proxy.cutNext('before commit', (bytes) => bytes.includes('select 78'));
    expect(isConnectionLost(await ask(shared))).to.equal(true);
    await shared.end();

    const away = new URL(database.url);
    away.host = `127.0.0.1:${await freePort()}`;
    const unreachable = open(away.href);
    const errors = await Promise.all([ask(unreachable), ask(unreachable)]);
    expect(errors.map(isConnectionLost)).to.deep.equal([true, true]);
  });
});
