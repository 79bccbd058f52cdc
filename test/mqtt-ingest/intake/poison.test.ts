import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useIngest } from '../../support/ingest.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('a message that the database refuses', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    for (const value of ['E280', 'E281', 'BAD0']) {
      await site.asset(`PALLET-${value}`, value);
    }
    await site.reader('portal', [await site.location('DOCK')]);
    intake = await openIntake(database);
  });
  beforeEach(() =>
    database.empty('scan_events, rejected_messages, received_messages, unknown_tags, reader_counters'),
  );
  afterEach(() => database.rows('drop function if exists refuse() cascade'));

  /** Has the database refuse rows for as long as the test runs. */
  const refuse = (table: string, when: string, sqlState: string) =>
    database.rows(
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'no room for it' using errcode = '${sqlState}'; end $$;
       create trigger refusing before insert on ${table} for each row when (${when}) execute function refuse()`,
    );
  async function until(condition: () => boolean) {
    while (!condition()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('is rejected alone: its neighbours are committed, and all are acknowledged', async () => {
    await refuse('scan_events', `new.tag_value = 'BAD0'`, 'P0001');
    const client = await ingest.connect('portal');
    const values = Array.from({ length: 90 }, (_, index) =>
      [13, 14, 77].includes(index) ? 'BAD0' : index % 2 === 0 ? 'E280' : 'E281',
    );
    const acknowledged = await Promise.all(
      values.map((value, index) =>
        client.publishAsync(
          'portal',
          JSON.stringify([{ value }, { value: 'E280', antenna: 9 }, { n: index }]),
          {
            qos: 1,
          },
        ),
      ),
    );
    expect(acknowledged).to.have.lengthOf(90);
    const stored = await database.rows('select tag_value, count(*) from scan_events group by 1 order by 1');
    expect(stored).to.deep.equal([
      { tag_value: 'E280', count: 44 },
      { tag_value: 'E281', count: 43 },
    ]);
    expect(await countersOf(database)).to.deep.equal({
      messages: 90,
      messages_rejected: 3,
      reads: 87 * 3,
      recorded: 87,
      duplicates: 0,
      unknown: 0,
      unplaced: 87,
      rejected: 87,
      ignored: 0,
    });
    const poison = await database.rows(
      `select convert_from(payload, 'UTF8') as payload, reason from rejected_messages where is_whole order by id`,
    );
    expect(poison).to.have.lengthOf(3);
    for (const { payload, reason } of poison) {
      expect(payload).to.include('BAD0');
      expect(reason).to.equal('it could not be recorded: no room for it');
    }
  });

  it('waits unacknowledged and is lost in no way where rejected messages cannot be kept: a full disk', async () => {
    await refuse('rejected_messages', 'true', '53100');
    const outages = intake.reported.outages.length;
    let isAcknowledged = false;
    const received = intake.receive('portal', 'no JSON').then(() => {
      isAcknowledged = true;
    });
    await until(() => intake.reported.outages.length >= outages + 3);
    expect(isAcknowledged).to.equal(false);
    expect(await countersOf(database)).to.deep.include({ messages: null });
    await database.rows('drop function refuse() cascade');
    await received;
    expect(
      await database.rows(`select convert_from(payload, 'UTF8') as payload from rejected_messages`),
    ).to.deep.equal([{ payload: 'no JSON' }]);
    expect(await countersOf(database)).to.include({ messages: 1, messages_rejected: 1 });
  });

  it('waits unacknowledged where there are no ids left for rejected messages, and it is said which', async () => {
    await database.rows(`select setval('rejected_messages_id_seq', 9223372036854775807)`);
    const outages = intake.reported.outages.length;
    const received = intake.receive('portal', 'no JSON');
    await until(() => intake.reported.outages.length >= outages + 2);
    expect(String(intake.reported.outages.at(-1))).to.include('"rejected_messages_id_seq"');
    await database.rows(`select setval('rejected_messages_id_seq', 1)`);
    await received;
    expect(await countersOf(database)).to.include({ messages: 1, messages_rejected: 1 });
  });

  for (const [state, sqlState] of [
    ['is read-only for now', '25006'],
    ['lacks a privilege', '42501'],
    ['is out of memory', '53200'],
    ['has no ids left', '2200H'],
  ] as const) {
    it(`waits, and is not rejected, where the database ${state}`, async () => {
      await refuse('scan_events', 'true', sqlState);
      const outages = intake.reported.outages.length;
      const received = intake.receive('portal', '{"value":"E280"}');
      await until(() => intake.reported.outages.length >= outages + 2);
      await database.rows('drop function refuse() cascade');
      await received;
      expect(await countersOf(database)).to.include({ messages: 1, recorded: 1, messages_rejected: 0 });
      expect(await database.rows('select from rejected_messages')).to.deep.equal([]);
    });
  }
});
