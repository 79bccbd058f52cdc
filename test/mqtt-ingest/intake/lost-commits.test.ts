import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { type Cut, type CuttingProxy, openCuttingProxy } from '../../support/cutting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('a connection to the database that is lost while committing', () => {
  const database = useDatabase();
  let proxy: CuttingProxy;
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    proxy = await openCuttingProxy(database);
    const pool = createWritePool(proxy.url, { max: 2 });
    database.beforeDrop(() => pool.end());
    intake = await openIntake(database, pool);
  });
  beforeEach(() =>
    database.empty('scan_events, rejected_messages, received_messages, unknown_tags, reader_counters'),
  );

  /** Of each three one is recorded whole, one has an unknown tag, one cannot be read. */
  const send = (messages: number) =>
    Promise.all(
      Array.from({ length: messages }, (_, index) =>
        intake.receive(
          'portal',
          ['{"value":"E280"}', '{"value":"FEED"}', `no JSON ${index}`][index % 3] ?? '',
        ),
      ),
    );
  async function expectCountedOnce(each: number) {
    expect(await countersOf(database)).to.deep.equal({
      messages: 3 * each,
      messages_rejected: each,
      reads: 2 * each,
      recorded: each,
      duplicates: 0,
      unknown: each,
      unplaced: 0,
      rejected: 0,
      ignored: 0,
    });
    expect(await database.rows('select count from unknown_tags')).to.deep.equal([{ count: each }]);
    expect(await database.rows('select count(*) from rejected_messages')).to.deep.equal([{ count: each }]);
    expect(await database.rows('select count(*) from scan_events')).to.deep.equal([{ count: each }]);
  }

  const cases: [Cut, string, at?: string][] = [
    ['after commit', 'does nothing again that was committed though nobody heard of it'],
    ['before commit', 'does again what was not committed'],
    ['unheard', 'ends a session that still waits for the commit, and does its work again'],
    ['before commit', 'does again what was cut off in the middle of a batch', 'copy scan_events'],
  ];
  for (const [cut, promise, at] of cases) {
    it(promise, async () => {
      const [before, outages] = [proxy.cuts(), intake.reported.outages.length];
      proxy.cutNext(cut, (bytes) => bytes.includes(at ?? 'commit\0'));
      await send(30);
      expect(proxy.cuts()).to.equal(before + 1);
      expect(intake.reported.outages).to.have.length.above(outages);
      await expectCountedOnce(10);
    });
  }

  it('keeps the count through many of them, of every kind', async () => {
    let sent = 0;
    for (let round = 0; round < 12; round++) {
      proxy.cutNext(cases[round % 3]?.[0] ?? 'after commit');
      await send(12);
      sent += 12;
    }
    await expectCountedOnce(sent / 3);
    expect(intake.reported.poison).to.deep.equal([]);
  });
});
