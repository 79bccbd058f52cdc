import { expect } from 'chai';
import { createClock } from '../../../base/clock.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { listKept } from '../../../domain/administration/rejected/kept-message.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { replay } from '../../../domain/messages/replay.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, RULES, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

const SECRET = 'aB3-_'.repeat(8).concat('xyz');
const TOKEN = `th_12_${SECRET}`;

describe('a token or key that a reader sends', () => {
  const database = useDatabase();
  let site: Site;
  let intake: TestIntake;
  let number = 0;

  before(async () => {
    site = await Site.create(database);
    await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    intake = await openIntake(database);
  });
  beforeEach(() =>
    database.empty('scan_events, rejected_messages, received_messages, unknown_tags, reader_counters'),
  );

  async function reader(format = 'tagtrail') {
    const topic = `reader-${++number}`;
    const dock = await database.rows<{ id: number }>(`select id from locations where external_key = 'DOCK'`);
    const id = await site.reader(topic, [dock[0]?.id ?? 0], { topic, format });
    await intake.registry.refresh();
    return { id, topic };
  }
  const expectNothingKept = async () => {
    const kept = [
      ...(await database.rows('select * from unknown_tags')),
      ...(await database.rows('select tag_value from scan_events')),
      ...(await database.rows(`select reason, topic, encode(payload, 'escape') from rejected_messages`)),
    ];
    expect(kept).to.have.length.above(0);
    expect(JSON.stringify(kept)).not.to.include(SECRET);
  };

  it('is a rejected read that says why; the others are recorded, the figures add up, and the bytes hold no secret', async () => {
    const { id, topic } = await reader();
    const payload = JSON.stringify([
      { tag_type: 'barcode', value: TOKEN },
      { value: 'E280' },
      { value: 'FEED' },
    ]);
    await intake.receive(topic, payload);
    expect(await countersOf(database, id)).to.include({ reads: 3, recorded: 1, unknown: 1, rejected: 1 });
    const [kept] = await listKept(database.pool, site.orgId);
    expect(kept?.reason).to.equal('the value has the shape of an access token or API key, which is no tag');
    expect(kept?.bytes).to.equal(payload.length);
    await expectNothingKept();
    const options = {
      pool: database.pool,
      actor: TEST_ACTOR,
      formats: await loadFormats(database.pool, loadBuiltinFormats()),
      rules: RULES,
      clock: createClock(),
    };
    const replayed = await replay(options, kept?.id ?? 0, { isOnlyOnce: false });
    expect(replayed?.outcome).to.equal('rejected');
    expect(await countersOf(database, id)).to.include({ reads: 6, rejected: 2 });
    expect(await database.rows('select value from unknown_tags')).to.deep.equal([{ value: 'FEED' }]);
  });

  for (const [what, payload] of [
    ['in a message that cannot be read', `{"value":"${TOKEN}"`],
    ['in a value that is no tag for another reason', JSON.stringify([{ value: `${TOKEN}\u0001` }])],
    ['beside a read that is rejected', JSON.stringify([{ value: '', note: TOKEN }])],
  ] as const) {
    it(`is masked in what is kept: ${what}`, async () => {
      const { topic } = await reader();
      await intake.receive(topic, payload);
      await expectNothingKept();
    });
  }

  const note = 'x'.repeat(500);
  for (const [form, payload] of [
    ['escaped', JSON.stringify([{ tag_type: 'barcode', value: TOKEN }]).replace('th_', 't\\u0068_')],
    ['with a blank', JSON.stringify([{ tag_type: 'barcode', value: TOKEN.replace(/.{30}/, '$& '), note }])],
    ['with blanks', JSON.stringify([{ tag_type: 'barcode', value: TOKEN.replaceAll(/.{4}/g, '$& '), note }])],
  ] as const) {
    it(`leaves nothing of a message that has it in another form: ${form}`, async () => {
      const { id, topic } = await reader();
      await intake.receive(topic, payload);
      expect(await countersOf(database, id)).to.include({ reads: 1, rejected: 1 });
      expect(
        await database.rows('select length(payload) as kept, bytes from rejected_messages'),
      ).to.deep.equal([{ kept: 0, bytes: payload.length }]);
    });
  }
});
