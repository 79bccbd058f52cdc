import { expect } from 'chai';
import { createClock } from '../../../base/clock.ts';
import { ClocksApart, DatabaseClock } from '../../../domain/tracking/database-clock.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe("ingestion beside a clock that is not the database's", () => {
  const database = useDatabase();
  let site: Site;
  let intake: TestIntake;
  let databaseClock: DatabaseClock;
  /** Milliseconds that this machine's clock is ahead. */
  let ahead = 0;

  before(async () => {
    site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const clock = createClock(() => Date.now() + ahead);
    databaseClock = new DatabaseClock(clock);
    intake = await openIntake(database, database.pool, { clock, databaseClock });
  });
  beforeEach(async () => {
    ahead = 0;
    intake.reported.outages.length = 0;
    await database.empty('scan_events');
  });

  const stored = () =>
    database.rows<{ seconds: number }>(
      `select extract(epoch from clock_timestamp() - received_at)::float8 as seconds from scan_events
       order by received_at`,
    );

  for (const wrong of [HOUR, -HOUR]) {
    it(`records nothing, and then everything at the right time (${wrong / HOUR} h)`, async () => {
      ahead = wrong;
      let isAcknowledged = false;
      const received = intake.receive('portal', '{"value":"E280"}').then(() => {
        isAcknowledged = true;
      });
      await until(() => intake.reported.outages.length > 1);
      expect(intake.reported.outages).to.satisfy((all: unknown[]) =>
        all.every((each) => each instanceof ClocksApart),
      );
      expect({ isAcknowledged, stored: await stored() }).to.deep.equal({ isAcknowledged: false, stored: [] });
      expect(databaseClock.ahead * Math.sign(wrong)).to.be.within(3_590, 3_610);
      await databaseClock.ask(database.pool).then(
        () => expect.fail('it is ready'),
        (error) =>
          expect(error.message).to.match(
            /^this machine's clock is 3\d{3}\.\d s (ahead of|behind) the database's/,
          ),
      );
      ahead = 0;
      await received;
      const [row] = await stored();
      expect(row?.seconds).to.be.within(0, 60);
      await databaseClock.ask(database.pool);
      expect(intake.reported.poison).to.deep.equal([]);
    });
  }

  it('goes on where they differ by a few seconds', async () => {
    ahead = 3 * SECOND;
    await intake.receive('portal', '{"value":"E280"}');
    expect(intake.reported.outages).to.deep.equal([]);
    expect(await stored()).to.have.length(1);
  });
});
