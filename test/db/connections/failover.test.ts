import { expect } from 'chai';
import { Client, type Pool } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { isConnectionLost, thrownByPg } from '../../../db/timescale/connections/connection-lost.ts';
import { placeOf, withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import {
  inMarkedTransaction,
  inTransaction,
  type TransactionMark,
  wasCommitted,
} from '../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { hasCounted } from '../../../domain/messages/has-counted.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { recordMessages } from '../../../domain/messages/record-messages.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { requireWritable } from '../../../platform/runtime/require-database.ts';
import { watchServers } from '../../../platform/runtime/watch-servers.ts';
import { examineServers } from '../../../services/cli/doctor/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { expectFinding } from '../../support/doctor.ts';
import { messageOf, registeredReader } from '../../support/messages-of.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { RULES } from '../../support/recording.ts';
import { type ReplicatedDatabase, startReplicated } from '../../support/replicated-database.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('a database of several servers', () => {
  let database: ReplicatedDatabase;
  before(async () => {
    database = await startReplicated();
  });
  after(() => database?.remove());

  it('says what each of them answers if none is the primary', async () => {
    const [host] = placeOf(database.standby).split('/');
    const url = `${database.standby.replace(String(host), `${host},127.0.0.1:1`)}?target_session_attrs=read-write`;
    const client = new Client({ ...connectionConfig(url), connectionTimeoutMillis: 3_000 });
    const error = await client.connect().then(
      () => null,
      (thrown) => thrown,
    );
    expect(isConnectionLost(thrownByPg(error))).to.equal(true);
    // Another answer only if the machine stalls all the time.
    expect(error.message).to.match(
      /^no primary among 127\.0\.0\.1:\d+ \((is a standby|does not answer)\), 127\.0\.0\.1:1 \(.+\)$/,
    );
  });

  it('reports at once a user whom all of them refuse', async () => {
    const url = database.url.replace(/tagtrail:[^@]+@/, 'tagtrail:wrong@');
    const client = new Client({ ...connectionConfig(url), connectionTimeoutMillis: 60_000 });
    const error = await client.connect().then(
      () => null,
      (thrown) => thrown,
    );
    expect(error?.code).to.equal('28P01');
  });

  it('is read where it was set read-only, and left for what takes changes again', async () => {
    const server = new Client(connectionConfig(withDatabase(database.primary, 'postgres')));
    await server.connect();
    await server.query('alter database tagtrail set default_transaction_read_only = on');
    const client = new Client({ ...connectionConfig(database.url), connectionTimeoutMillis: 60_000 });
    const left = new Promise((resolve) => client.once('end', resolve));
    await client.connect();
    expect(client.port).to.equal(portOf(database.primary));
    const reason = await requireWritable(client).catch((error: Error) => error.message);
    await server.query('alter database tagtrail reset default_transaction_read_only');
    await server.end();
    expect(reason).to.equal('the database takes no changes: default_transaction_read_only is on');
    await examineServers(database.url);
    await left;
  });

  it('is followed to another primary, which has whatever was acknowledged', async () => {
    const pool = createWritePool(database.url, { max: 2 });
    const door = openOrganizationDoor(database.url, { max: 4 });
    const heard: string[] = [];
    const listener = await listen(database.url, ['test'], {
      onNotify: (_channel, payload) => heard.push(payload),
      onReconnect: () => heard.push('again'),
      onLost: () => heard.push('lost'),
    });
    const acknowledged: number[] = [];
    let isOver = false;
    try {
      await pool.query('create table written (number integer primary key)');
      const writing = (async () => {
        for (let number = 0; !isOver; number++) {
          await inTransaction(pool, (client) =>
            client.query('insert into written values ($1)', [number]),
          ).then(
            () => acknowledged.push(number),
            () => {},
          );
        }
      })();
      const lookUp = () => door.of(1).any(sql.prepared('test', rowsOf<{ one: number }>())`select 1 as one`);
      await lookUp();
      await until(async () => acknowledged.length > 50);
      const batch = await recordTwo(pool);
      database.killPrimary();
      await until(async () => heard.includes('lost'));
      // Waits for the next primary rather than fails.
      const waiting = new Client({ ...connectionConfig(database.url), connectionTimeoutMillis: 60_000 });
      const connecting = waiting.connect();
      await database.promote();
      await connecting;
      const before = acknowledged.length;
      await until(async () => acknowledged.length > before + 50);
      isOver = true;
      await writing;
      await until(async () => heard.includes('again'));
      await waiting.query("select pg_notify('test', 'told')");
      await until(async () => heard.includes('told'));
      await until(() =>
        lookUp().then(
          () => true,
          () => false,
        ),
      );
      const { rows } = await waiting.query<{ number: number }>('select number from written');
      await waiting.end();
      const wasStored = ({ mark, message }: Unanswered) =>
        wasCommitted(pool, mark, (xid) => hasCounted(pool, xid, [message]));
      expect([await wasStored(batch.committed), await wasStored(batch.rolledBack)]).to.deep.equal([
        true,
        false,
      ]);
      expect(rows.map(({ number }) => number)).to.include.members(acknowledged);
    } finally {
      isOver = true;
      await listener.close();
      await door.end();
      await pool.end();
    }
  });

  it('is never written at a primary in whose place a standby was promoted', async () => {
    await database.restartPrimary();
    const { log, lines } = recordedLog();
    const lifecycle = new Lifecycle(log);
    try {
      for (let time = 0; time < 10; time++) {
        const client = new Client({ ...connectionConfig(database.url), connectionTimeoutMillis: 60_000 });
        await client.connect();
        expect(client.port).to.equal(portOf(database.standby));
        await client.end();
      }
      const [promoted, old] = [database.standby, database.primary].map((url) => `127.0.0.1:${portOf(url)}`);
      const fault = `two servers take changes: ${promoted} (timeline 2) and ${old} (timeline 1)`;
      const { servers } = await watchServers(database.url, { log, lifecycle });
      await until(async () => lines.some((line) => line['fault'] === fault));
      expect(await servers?.().catch((error: Error) => error.message)).to.equal(fault);
      expectFinding(await examineServers(database.url), 'fault', fault.slice(1), `Stop ${old}`);
    } finally {
      await lifecycle.stop();
    }
  });
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

interface Unanswered {
  mark: TransactionMark;
  message: ReadMessage;
}

/** A message that is not committed, and the next one of its reader, which is. */
async function recordTwo(pool: Pool): Promise<{ committed: Unanswered; rolledBack: Unanswered }> {
  const site = await Site.create({
    rows: async (text: string, values: unknown[]) => (await pool.query(text, values)).rows,
  } as TestDatabase);
  const reader = await registeredReader(pool, await site.reader('portal', [await site.location('DOCK')]));
  const now = Date.now() * 1_000;
  const record = async (message: ReadMessage, isLost: boolean): Promise<Unanswered> => {
    let mark: TransactionMark | undefined;
    await inMarkedTransaction(pool, async (client, _attempt, given) => {
      mark = given;
      await recordMessages(client, [message], { rules: RULES, now, isCareful: false });
      if (isLost) {
        throw new RangeError('lost');
      }
    }).catch((error: unknown) => {
      if (!(error instanceof RangeError)) {
        throw error;
      }
    });
    return { mark: mark as TransactionMark, message };
  };
  const rolledBack = await record(messageOf(reader, now), true);
  return { committed: await record(messageOf(reader, now + 1), false), rolledBack };
}
