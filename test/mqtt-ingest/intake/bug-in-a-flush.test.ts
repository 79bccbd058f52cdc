import { expect } from 'chai';
import { createClock } from '../../../base/clock.ts';
import { DatabaseClock } from '../../../domain/tracking/database-clock.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('a bug that strikes while messages are recorded', () => {
  const database = useDatabase();
  const clock = createClock();
  let intake: TestIntake;
  /** How many times more the clock fails, which every batch reads. */
  let faults = 0;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const databaseClock = new DatabaseClock(() => {
      if (faults > 0) {
        faults -= 1;
        throw new Error('a bug');
      }
      return clock();
    });
    intake = await openIntake(database, database.pool, { databaseClock });
  });

  it('is no outage: the message is kept as rejected, with what was wrong', async () => {
    faults = 1;
    const { rejections } = await intake.receive('portal', '{"value":"E280"}');
    expect(rejections).to.deep.equal(['it could not be recorded: a bug']);
    expect(intake.reported.outages).to.deep.equal([]);
    expect(intake.reported.poison).to.have.lengthOf(1);
    expect(await database.rows('select reason from rejected_messages')).to.deep.equal([
      { reason: 'it could not be recorded: a bug' },
    ]);
  });

  it('ends as a fault where it strikes every time, and is not tried for ever', async () => {
    faults = Number.POSITIVE_INFINITY;
    const error = await intake.receive('portal', '{"value":"E280"}').catch((each) => each);
    faults = 0;
    expect(error).to.include({ message: 'a bug' });
    expect(intake.reported.outages).to.deep.equal([]);
  });

  it('leaves the next message alone', async () => {
    const { counts } = await intake.receive('portal', '{"value":"E280"}');
    expect(counts).to.include({ recorded: 1 });
  });
});
