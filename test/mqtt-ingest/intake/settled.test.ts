import { expect } from 'chai';
import { createClock } from '../../../base/clock.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Link, targetOf } from '../../support/link.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('up to when all that was received is settled', () => {
  const database = useDatabase();
  const clock = createClock();
  let intake: TestIntake;
  let link: Link;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    link = await Link.open(targetOf(database.url));
    database.beforeDrop(() => link.close());
    intake = await openIntake(database, undefined, { listenAt: link.by(database.url) });
  });

  const portal = () => intake.registry.byTopic('portal');

  function expectAllSettled(): void {
    const now = clock();
    expect(intake.settledUpTo()).to.be.at.least(now);
  }

  it('waits for what is not committed yet', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table reader_counters');
    const before = clock();
    const received = intake.receive('portal', '{"value":"E280"}');
    intake.settledUpTo();
    expect(intake.settledUpTo()).to.be.below(before);
    await blocker.query('rollback');
    blocker.release();
    await received;
    expectAllSettled();
  });

  for (const [what, payload] of [
    ['cannot be read', 'no JSON'],
    ['is read in a thread', `{"value":"E280"}${' '.repeat(300_000)}`],
    ['cannot be read in a thread', 'x'.repeat(300_000)],
  ] as const) {
    it(`is now once a message that ${what} has its outcome`, async () => {
      await intake.receive('portal', payload);
      expectAllSettled();
    });
  }

  it('is now once a message is refused whose reader was deleted', async () => {
    const publisher = { ...portal(), username: 'somebody' } as NonNullable<ReturnType<typeof portal>>;
    const error = await intake.receive('portal', '{"value":"E280"}', publisher).catch((each: Error) => each);
    expect(error).to.have.property('message').that.includes('deleted');
    expectAllSettled();
  });

  it('waits for what is held until the registry is read anew, also where that is refused in the end', async () => {
    link.cut();
    await until(() => !intake.registry.isFresh());
    const before = clock();
    const held = intake.receive('portal', '{"value":"E280"}');
    intake.settledUpTo();
    expect(intake.settledUpTo()).to.be.below(before);
    link.mend();
    await held;
    expectAllSettled();

    const blocker = await database.pool.connect();
    // However slow this is, the registry is not read anew before.
    await blocker.query('begin; lock table readers');
    link.cut();
    await until(() => !intake.registry.isFresh());
    const refused = intake.receive('portal', '{"value":"E280"}').catch((each: Error) => each);
    await intake.drain(0);
    await blocker.query('rollback');
    blocker.release();
    link.mend();
    expect(await refused)
      .to.have.property('message')
      .that.includes('stopping');
    expectAllSettled();
  });
});
