import { expect } from 'chai';
import { createClock } from '../../../base/clock.ts';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { findKept, idsToReplay, listKept } from '../../../domain/administration/rejected/kept-message.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { replay } from '../../../domain/messages/replay.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, RULES, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('replaying rejected messages', () => {
  const database = useDatabase();
  let site: Site;
  let dock: number;
  let intake: TestIntake;
  let number = 0;

  before(async () => {
    site = await Site.create(database);
    dock = await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    intake = await openIntake(database);
  });
  beforeEach(() =>
    database.empty(
      'scan_events, location_transitions, rejected_messages, received_messages, unknown_tags, reader_counters',
    ),
  );

  /** A reader of a topic of its own, of a format that is not there yet. */
  async function reader(format = 'not-yet-added') {
    const topic = `reader-${++number}`;
    const id = await site.reader(topic, [dock], { topic, format });
    await intake.registry.refresh();
    return { id, topic };
  }
  const setFormat = (id: number, format: string) =>
    database.rows('update readers set format = $2 where id = $1', [id, format]);
  const replayOne = async (id: number, { isOnlyOnce = false, daysLater = 0 } = {}) => {
    const now = createClock();
    return replay(
      {
        pool: database.pool,
        actor: TEST_ACTOR,
        formats: await loadFormats(database.pool, loadBuiltinFormats()),
        rules: RULES,
        clock: () => now() + daysLater * MICROS_PER_DAY,
      },
      id,
      { isOnlyOnce },
    );
  };
  const onlyKept = async () => {
    const kept = await listKept(database.pool, null);
    expect(kept).to.have.lengthOf(1);
    return kept[0] as (typeof kept)[number];
  };
  const scans = () =>
    database.rows(
      'select tag_value, observed_at, received_at, time_is_received from scan_events order by observed_at',
    );

  it('records what a mended registration can read, as received when it was', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '[{"value":"E280"},{"value":"FEED"}]');
    const kept = await onlyKept();
    expect(kept).to.deep.include({ orgId: site.orgId, readerId: id, topic, replayedAt: null });
    await setFormat(id, 'tagtrail');

    const result = await replayOne(kept.id);

    expect(result?.outcome).to.equal('replayed');
    expect(result?.message.replayedAt).to.not.equal(null);
    expect(await scans()).to.deep.equal([
      {
        tag_value: 'E280',
        observed_at: kept.receivedAt,
        received_at: kept.receivedAt,
        time_is_received: true,
      },
    ]);
    expect(await database.rows('select value, count from unknown_tags')).to.deep.equal([
      { value: 'FEED', count: 1 },
    ]);
    expect(await countersOf(database, id)).to.deep.equal({
      messages: 2,
      messages_rejected: 1,
      reads: 2,
      recorded: 1,
      duplicates: 0,
      unknown: 1,
      unplaced: 0,
      rejected: 0,
      ignored: 0,
    });
    expect(await idsToReplay(database.pool, null)).to.deep.equal([]);
  });

  it('tells what became of the reads, those of antennas without a location included', async () => {
    const topic = `reader-${++number}`;
    const id = await site.reader(topic, [dock, null], { topic, format: 'not-yet-added' });
    await intake.registry.refresh();
    const read = (antenna: number, second: number) =>
      `{"value":"E280","antenna":${antenna},"observed_at":"${new Date(Date.now() - second * 1_000).toISOString()}"}`;
    await intake.receive(topic, `[${read(1, 9)},${read(2, 8)},${read(2, 7)},{"value":"FEED"},{"value":7}]`);
    const kept = await onlyKept();
    await setFormat(id, 'tagtrail');
    const told = async () => (await replayOne(kept.id))?.reads;
    expect(await told()).to.deep.equal({ recorded: 1, duplicates: 0, unknown: 1, unplaced: 2 });
    expect(await told()).to.deep.equal({ recorded: 0, duplicates: 1, unknown: 1, unplaced: 2 });
    await database.rows('update antennas set location_id = $2 where reader_id = $1', [id, dock]);
    expect(await told()).to.deep.equal({ recorded: 2, duplicates: 1, unknown: 1, unplaced: 0 });
  });

  it('leaves no second trace when it is replayed again, though the reads have no time of their own', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '[{"value":"E280"},{"value":"FEED"}]');
    await setFormat(id, 'tagtrail');
    const kept = await onlyKept();
    await replayOne(kept.id);
    const once = await scans();
    expect((await replayOne(kept.id))?.outcome).to.equal('replayed');
    expect(await scans()).to.deep.equal(once);
    expect(await database.rows('select count from unknown_tags')).to.deep.equal([{ count: 1 }]);
    expect(await countersOf(database, id)).to.include({ reads: 4, recorded: 1, duplicates: 1, unknown: 2 });
    expect(await replayOne(kept.id, { isOnlyOnce: true })).to.equal(null);
  });

  it('does not double the good items of a message that was rejected in part, nor its unknown tags', async () => {
    const { id, topic } = await reader('tagtrail');
    await intake.receive(topic, '[{"value":"E280"},{"value":7},{"value":"FEED"}]');
    const before = await scans();
    expect(before).to.have.lengthOf(1);
    const kept = await onlyKept();
    const result = await replayOne(kept.id);
    expect(result).to.deep.include({ outcome: 'rejected' });
    expect(result?.message).to.deep.include({ reason: kept.reason, replayedAt: null });
    expect(await scans()).to.deep.equal(before);
    expect(await database.rows('select value, count from unknown_tags')).to.deep.equal([
      { value: 'FEED', count: 1 },
    ]);
    expect(await countersOf(database, id)).to.include({
      reads: 6,
      recorded: 1,
      duplicates: 1,
      unknown: 2,
      rejected: 2,
    });
  });

  it('keeps what is rejected again, with the new reason, to be replayed later', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '[{"value":"E280"},{"value":7}]');
    const kept = await onlyKept();
    await setFormat(id, 'tagtrail');
    const result = await replayOne(kept.id);
    expect(result?.outcome).to.equal('rejected');
    expect(result?.message.reason)
      .to.match(/^item 1: /)
      .and.not.equal(kept.reason);
    expect(await scans()).to.have.lengthOf(1);
    expect(await idsToReplay(database.pool, site.orgId)).to.deep.equal([kept.id]);
  });

  it('gives a message that belonged to nobody to the reader that has its topic now', async () => {
    await intake.receive('a/new/topic', '{"value":"E280"}');
    const kept = await onlyKept();
    expect(kept).to.deep.include({ orgId: null, readerId: null, reason: 'no reader has this topic' });
    expect((await replayOne(kept.id))?.message.reason).to.equal(kept.reason);
    const id = await site.reader('late', [dock], { topic: 'a/+/topic' });
    expect((await replayOne(kept.id))?.message).to.deep.include({ orgId: site.orgId, readerId: id });
    expect(await countersOf(database)).to.include({ messages: 1, messages_rejected: 0, recorded: 1 });
    expect(await scans()).to.have.lengthOf(1);
    await database.rows('update readers set deleted_at = now() where id = $1', [id]);
  });

  it("gives a deleted reader's message to its successor, but not one of which something was recorded", async () => {
    const first = await reader('tagtrail');
    await intake.receive(first.topic, 'no JSON');
    await intake.receive(first.topic, '[{"value":"E280"},{"value":7}]');
    await database.rows('update readers set deleted_at = now() where id = $1', [first.id]);
    const successor = await site.reader(`${first.topic}-2`, [dock], { topic: first.topic });
    const [whole = 0, inPart = 0] = await idsToReplay(database.pool, site.orgId);
    expect((await replayOne(whole))?.message.readerId).to.equal(successor);
    expect((await replayOne(inPart))?.message).to.include({
      readerId: first.id,
      reason: 'its reader was deleted',
    });
    expect(await scans()).to.have.lengthOf(1);
  });

  it('never gives a message to a reader of another organization', async () => {
    const first = await reader('tagtrail');
    await intake.receive(first.topic, 'no JSON');
    await database.rows('update readers set deleted_at = now() where id = $1', [first.id]);
    const other = await Site.create(database, 'Other');
    await other.reader('theirs', [null], { topic: first.topic });
    const result = await replayOne((await onlyKept()).id);
    expect(result?.message).to.include({ orgId: site.orgId, readerId: first.id });
    expect(result?.outcome).to.equal('rejected');
  });

  it('says of a message of which only the beginning was kept that it cannot be replayed', async () => {
    const { topic } = await reader();
    await intake.receive(topic, 'x'.repeat(70_000));
    const kept = await onlyKept();
    expect(kept.bytes).to.equal(70_000);
    expect((await findKept(database.pool, kept.id))?.payload.length).to.equal(65_536);
    expect(await replayOne(kept.id)).to.deep.include({ outcome: 'cut' });
    expect((await onlyKept()).replayedAt).to.equal(null);
  });

  it('rejects as too late what is older than the raw scans that are kept', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '{"value":"E280"}');
    await setFormat(id, 'tagtrail');
    const result = await replayOne((await onlyKept()).id, { daysLater: 31 });
    expect(result?.message.reason).to.match(/^too late/);
    expect(await scans()).to.deep.equal([]);
  });

  it('records once what two replay at the same moment', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '{"value":"E280"}');
    await setFormat(id, 'tagtrail');
    const { id: keptId } = await onlyKept();
    const results = await Promise.all([1, 2, 3].map(() => replayOne(keptId, { isOnlyOnce: true })));
    expect(results.flatMap((result) => result?.outcome ?? [])).to.deep.equal(['replayed']);
    expect(await countersOf(database, id)).to.include({ messages: 2, recorded: 1 });
  });

  it('keeps what the database itself refuses, with its reason', async () => {
    const { id, topic } = await reader();
    await intake.receive(topic, '{"value":"E280"}');
    await setFormat(id, 'tagtrail');
    await database.rows(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not this one'; end $$`);
    await database.rows(
      'create trigger refusing before insert on scan_events for each row execute function refuse()',
    );
    const { id: keptId } = await onlyKept();
    expect((await replayOne(keptId))?.message.reason).to.include('not this one');
    await database.rows('drop trigger refusing on scan_events; drop function refuse()');
    expect((await replayOne(keptId))?.outcome).to.equal('replayed');
    expect(await countersOf(database, id)).to.include({ messages: 3, messages_rejected: 2, recorded: 1 });
  });
});
