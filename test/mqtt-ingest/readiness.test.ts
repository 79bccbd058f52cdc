import { expect } from 'chai';
import { pino } from 'pino';
import type { Check } from '../../platform/runtime/health.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../support/database.ts';
import { DISK_FULL, fullDiskUnder } from '../support/full-disk.ts';
import { connected, connectReader, ingestConfig } from '../support/ingest.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { startWorker } from '../support/worker.ts';

/** What brings each about, and what mends it. */
const STATES: Record<string, { payload: string; begin: string[]; end: string; reason: RegExp }> = {
  'the disk is full': {
    payload: '{"value":"E280"}',
    begin: [DISK_FULL, fullDiskUnder('scan_events')],
    end: 'drop trigger disk_full on scan_events',
    reason: /^messages wait, as they cannot be recorded: could not extend file$/,
  },
  'a sequence is used up': {
    payload: 'this is no JSON',
    begin: ["select setval('rejected_messages_id_seq', 9223372036854775807)"],
    end: "select setval('rejected_messages_id_seq', 1)",
    reason: /^messages wait, as they cannot be recorded: nextval: reached maximum value of sequence/,
  },
};

describe('the readiness of ingestion', () => {
  const database = useDatabase();
  const log = pino({ level: 'silent' });
  let port: number;
  let checks: Readonly<Record<string, Check>>;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const lifecycle = new Lifecycle(log);
    const started = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle);
    ({ port } = started);
    checks = { ...started.checks, ...started.notices };
    database.beforeDrop(() => lifecycle.stop());
  });

  /** `ok`, or what is wrong. */
  const outcomeOf = (check: string) =>
    Object(checks[check])().then(
      () => 'ok',
      (error: Error) => error.message,
    );
  const recording = () => outcomeOf('recording');

  for (const [state, { payload, begin, end, reason }] of Object.entries(STATES)) {
    it(`says that messages wait while ${state}, and is back with the first that is recorded`, async () => {
      const reader = connectReader(port, 'portal');
      await connected(reader);
      expect(await recording()).to.equal('ok');
      for (const text of begin) {
        await database.rows(text);
      }
      const published = reader.publishAsync('portal', payload, { qos: 1 });
      await until(async () => (await recording()) !== 'ok');
      expect(await recording()).to.match(reason);
      await database.rows(end);
      await published;
      expect(await recording()).to.equal('ok');
      await reader.endAsync();
    });
  }

  it('says that nobody gives moves their positions, without being unready, until a worker does', async () => {
    expect(await outcomeOf('feed')).to.equal('ok');
    await database.rows(
      `insert into unsealed_moves (org_id, kind, recorded_at)
       select id, 'test', clock_timestamp() - interval '1 minute' from organizations`,
    );
    expect(await outcomeOf('feed')).to.equal('events of the move feed wait, and no process seals them');
    const worker = await startWorker(database);
    await until(async () => (await outcomeOf('feed')) === 'ok');
    await worker.stop();
  });

  it('says that the database takes no changes, and records what waited once it does', async () => {
    /** From the next connections on, which are at once: those there are belong to the suite. */
    const setReadOnly = async (change: string) => {
      await database.rows(
        `do $$ begin execute format('alter database %I ${change}', current_database()); end $$`,
      );
      await database.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name <> 'test'`,
      );
    };
    const reader = connectReader(port, 'portal');
    await connected(reader);
    expect(await outcomeOf('writing')).to.equal('ok');
    await setReadOnly('set default_transaction_read_only = on');
    const reason = 'the database takes no changes: default_transaction_read_only is on';
    await until(async () => (await outcomeOf('writing')) === reason);
    let isAcknowledged = false;
    const published = reader.publishAsync('portal', '{"value":"E280"}', { qos: 1 }).then(() => {
      isAcknowledged = true;
    });
    await until(async () => (await recording()) !== 'ok');
    expect({ isAcknowledged, writing: await outcomeOf('writing') }).to.deep.equal({
      isAcknowledged: false,
      writing: reason,
    });
    await setReadOnly('reset default_transaction_read_only');
    await published;
    await until(async () => (await outcomeOf('writing')) === 'ok');
    await reader.endAsync();
  });
});
