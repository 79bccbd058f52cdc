import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createClock } from '../../../base/clock.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { idsToReplay } from '../../../domain/administration/rejected/kept-message.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { replay } from '../../../domain/messages/replay.ts';
import { collectReaderCounters } from '../../../services/mqtt-ingest/metrics/collect-reader-counters.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { type Cut, openCuttingProxy } from '../../support/cutting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, RULES } from '../../support/intake.ts';
import { randomSets } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const ROUNDS = Math.max(40, randomSets(120));
const DISTURBANCES = 12;
/** Messages of each reader that are under way at once. */
const LANES = 6;

describe('the counters of readers', () => {
  const database = useDatabase();

  it('add up at every moment and are exact in the end: messages, replays and outages at once', async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET-0', 'E280');
    await site.asset('PALLET-1', 'E281');
    const portal = await site.reader('portal', [dock]);
    const gate = await site.reader('gate', [dock], { format: 'zebra-iotc' });
    const late = await site.reader('late', [dock], { format: 'not-yet-added' });

    const proxy = await openCuttingProxy(database);
    const pool = createWritePool(proxy.url, { max: 2, applicationName: 'cut at will' });
    database.beforeDrop(() => pool.end());
    const intake = await openIntake(database, pool);

    let isOver = false;
    const others = [disturb(), watch(), replayOver()] as const;
    await Promise.all(Array.from({ length: LANES }, (_, lane) => publish(lane)));
    isOver = true;
    const [ended, samples, replays] = await Promise.all(others);

    // As far as they were not replayed yet; the portal's messages are rejected in part again.
    await database.rows(`update readers set format = 'tagtrail' where id = $1`, [late]);
    replays.push(...(await replayLatest(Number.POSITIVE_INFINITY)));
    const replaysOf = (reader: number) => replays.filter((readerId) => readerId === reader).length;

    expect(samples).to.be.above(20);
    expect([proxy.cuts(), ended]).to.satisfy(([cuts = 0, sessions = 0]) => cuts > 5 && sessions > 5);
    const again = replaysOf(portal);
    expect(again).to.be.above(ROUNDS);
    expect(await countersOf(database, portal)).to.deep.equal({
      messages: ROUNDS + again,
      messages_rejected: 0,
      reads: 5 * (ROUNDS + again),
      recorded: ROUNDS + 1,
      duplicates: ROUNDS - 1 + 2 * again,
      unknown: ROUNDS + again,
      unplaced: ROUNDS + again,
      rejected: ROUNDS + again,
      ignored: 0,
    });
    expect(await countersOf(database, gate)).to.include({ messages: ROUNDS, reads: 0, ignored: ROUNDS });
    expect(await countersOf(database, late)).to.include({
      messages: ROUNDS + replaysOf(late),
      messages_rejected: replaysOf(late),
      reads: ROUNDS,
      recorded: ROUNDS,
    });
    // Replays were not heard, and what was sent again because of an outage is not counted twice.
    expect(
      await database.rows(
        `select heard.messages::integer from readers
         cross join lateral (
           select coalesce(sum(span.messages), 0)
             + (select heard_messages from reader_counters where reader_id = readers.id) as messages
           from reader_spans span where span.reader_id = readers.id) heard
         order by readers.id`,
      ),
    ).to.deep.equal([{ messages: ROUNDS }, { messages: ROUNDS }, { messages: ROUNDS }]);
    expect(await database.rows('select count from unknown_tags')).to.deep.equal([{ count: ROUNDS }]);
    expect(intake.reported.poison).to.deep.equal([]);

    async function publish(lane: number): Promise<void> {
      for (let round = lane; round < ROUNDS; round += LANES) {
        await Promise.all([
          intake.receive('portal', PORTAL),
          intake.receive('gate', '{"type":"heartbeat"}'),
          intake.receive('late', '{"value":"E280"}'),
        ]);
      }
    }

    /** Cuts connections at their commits, and ends sessions in the midst of whatever they do. */
    async function disturb(): Promise<number> {
      const cuts: Cut[] = ['after commit', 'before commit', 'unheard'];
      let sessions = 0;
      for (let turn = 0; turn < DISTURBANCES && !isOver; turn++) {
        const before = proxy.cuts();
        proxy.cutNext(cuts[turn % cuts.length] ?? 'after commit');
        while (!isOver && proxy.cuts() === before) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        const rows = await database.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'cut at will'`,
        );
        sessions += rows.length;
      }
      return sessions;
    }

    /** Looks at the counters, in the table and as they are scraped, all the while. */
    async function watch(): Promise<number> {
      const registry = new Registry();
      collectReaderCounters(database.pool, registry);
      let samples = 0;
      for (; !isOver; samples++) {
        const rows = await database.rows(
          `select reads, recorded + duplicates + unknown + unplaced + rejected as accounted from reader_counters`,
        );
        for (const { reads, accounted } of rows) {
          expect(accounted).to.equal(reads);
        }
        expectSumsToAgree(await registry.metrics());
      }
      return samples;
    }

    /** Replays the latest that are kept, over and over. @returns the reader of each replayed message. */
    async function replayOver(): Promise<number[]> {
      const readers: number[] = [];
      while (!isOver) {
        readers.push(...(await replayLatest(10)));
      }
      return readers;
    }

    async function replayLatest(most: number): Promise<number[]> {
      const replaying = {
        pool: database.pool,
        actor: TEST_ACTOR,
        formats: await loadFormats(database.pool, loadBuiltinFormats()),
        rules: RULES,
        clock: createClock(),
      };
      const readers: number[] = [];
      for (const id of (await idsToReplay(database.pool, site.orgId)).slice(-most)) {
        const result = await replay(replaying, id, { isOnlyOnce: true });
        readers.push(result?.message.readerId ?? 0);
      }
      return readers;
    }
  });
});

/** Of five reads, each has another outcome; the second is a duplicate from the second message on. */
const PORTAL = JSON.stringify([
  { value: 'E280' },
  { value: 'E281', observed_at: new Date(Date.now() - 60_000).toISOString() },
  { value: 'FEED' },
  { value: 'E280', antenna: 9 },
  { value: 7 },
]);

function expectSumsToAgree(metrics: string): void {
  const accounted = new Map<string, number>();
  for (const [, reader = '', value] of metrics.matchAll(
    /^tagtrail_reader_read_outcomes_total\{.*reader="(\d+)".*\} (\d+)$/gm,
  )) {
    accounted.set(reader, (accounted.get(reader) ?? 0) + Number(value));
  }
  for (const [, reader = '', value] of metrics.matchAll(
    /^tagtrail_reader_reads_total\{.*reader="(\d+)".*\} (\d+)$/gm,
  )) {
    expect(accounted.get(reader)).to.equal(Number(value));
  }
}
