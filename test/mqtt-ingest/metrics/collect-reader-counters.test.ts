import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import {
  collectReaderCounters,
  MOST_SHOWN,
} from '../../../services/mqtt-ingest/metrics/collect-reader-counters.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('the figures of readers in /metrics', () => {
  const database = useDatabase();
  const registry = new Registry();
  let site: Site;
  let intake: TestIntake;
  let reader: number;

  before(async () => {
    site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    reader = await site.reader('portal', [await site.location('DOCK')]);
    intake = await openIntake(database);
    collectReaderCounters(database.pool, registry);
  });

  it('are what became of every read, by organization and reader', async () => {
    const reads = [{ value: 'E280' }, { value: 'FEED' }, { value: 'E280', antenna: 9 }, { value: 7 }];
    await intake.receive('portal', JSON.stringify(reads));
    await intake.receive('portal', 'no JSON');
    await intake.receive('nobody/has/this', 'hello');
    const text = await registry.metrics();
    const labels = `org="${site.orgId}",reader="${reader}"`;
    for (const line of [
      'tagtrail_database_figures_up 1',
      'tagtrail_readers 1',
      `tagtrail_reader_messages_total{${labels}} 2`,
      `tagtrail_reader_messages_rejected_total{${labels}} 1`,
      `tagtrail_reader_reads_total{${labels}} 4`,
      `tagtrail_reader_read_outcomes_total{${labels},outcome="recorded"} 1`,
      `tagtrail_reader_read_outcomes_total{${labels},outcome="duplicates"} 0`,
      `tagtrail_reader_read_outcomes_total{${labels},outcome="unknown"} 1`,
      `tagtrail_reader_read_outcomes_total{${labels},outcome="unplaced"} 1`,
      `tagtrail_reader_read_outcomes_total{${labels},outcome="rejected"} 1`,
      `tagtrail_reader_ignored_total{${labels}} 0`,
      `tagtrail_rejected_messages{org="${site.orgId}"} 2`,
      'tagtrail_rejected_messages{org="none"} 1',
      `tagtrail_unknown_tags{org="${site.orgId}"} 1`,
    ]) {
      expect(text.split('\n')).to.include(line);
    }
    const [, seconds] = /tagtrail_reader_last_message_timestamp_seconds\{.*\} (\S+)/.exec(text) ?? [];
    expect(Number(seconds) * 1_000).to.be.closeTo(Date.now(), 60_000);
  });

  it('are bounded in number, and say of how many readers they are', async () => {
    await database.rows(
      `with made as (
         insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
         select $1, 'r' || n, 'r' || n, 'tagtrail', 'r' || n, sha256('') from generate_series(1, $2::integer) n
         returning org_id, id
       )
       insert into reader_counters (org_id, reader_id, last_message_at) select org_id, id, now() from made`,
      [site.orgId, MOST_SHOWN],
    );
    const text = await registry.metrics();
    expect(text.match(/^tagtrail_reader_reads_total\{/gm)).to.have.lengthOf(MOST_SHOWN);
    expect(text).to.include(`tagtrail_readers ${MOST_SHOWN + 1}\n`);
    await database.rows(`update readers set deleted_at = now() where name <> 'portal'`);
    expect((await registry.metrics()).match(/^tagtrail_reader_reads_total\{/gm)).to.have.lengthOf(1);
  });

  it('ask the database once a scrape', async () => {
    let queries = 0;
    const counted: Connection = {
      any: (query) => counting(() => database.pool.any(query)),
      one: (query) => counting(() => database.pool.one(query)),
      maybeOne: (query) => counting(() => database.pool.maybeOne(query)),
      exec: (query) => counting(() => database.pool.exec(query)),
    };
    const counting = <Result>(ask: () => Result): Result => {
      queries += 1;
      return ask();
    };
    const other = new Registry();
    collectReaderCounters(counted, other);
    await other.metrics();
    expect(queries).to.equal(1);
    await other.metrics();
    expect(queries).to.equal(2);
  });

  it('stay what they were while the database is gone, and say so', async () => {
    const pool = createWritePool(database.url, { max: 1 });
    const other = new Registry();
    collectReaderCounters(pool, other);
    const before = await other.metrics();
    await pool.end();
    expect(await other.metrics()).to.equal(
      before.replace('tagtrail_database_figures_up 1', 'tagtrail_database_figures_up 0'),
    );
  });
});
