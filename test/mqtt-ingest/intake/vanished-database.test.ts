import { expect } from 'chai';
import { createPool } from '../../../db/timescale/connections/pool.ts';
import { serviceConfig } from '../../../db/timescale/connections/service-connections.ts';
import { LANES } from '../../../services/mqtt-ingest/intake/reader-lanes.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Link, targetOf } from '../../support/link.ts';
import { Site } from '../../support/site.ts';

/** Milliseconds. */
const PATIENCE = { statement: 200, answer: 400 };

describe('a database that vanishes without a word, and is another from then on', () => {
  const database = useDatabase();
  let link: Link;
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    link = await Link.open(targetOf(database.url));
    database.beforeDrop(() => link.close());
    const config = serviceConfig(link.by(database.url), { max: LANES, patience: PATIENCE });
    // What a session holds that never heard that its client is gone, others wait for.
    const pool = createPool({ ...config, idle_in_transaction_session_timeout: 300 }, LANES);
    database.beforeDrop(() => pool.end());
    intake = await openIntake(database, pool);
  });

  it('has every message recorded once, whatever was under way', async () => {
    const messages = 300;
    const received: Promise<unknown>[] = [];
    for (let number = 0; number < messages; number++) {
      const payload = ['{"value":"E280"}', '{"value":"FEED"}', 'no JSON'][number % 3] ?? '';
      received.push(intake.receive('portal', payload));
      if (number % 60 === 30) {
        link.abandon();
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(received);
    expect(intake.reported.outages).to.not.be.empty;
    expect(intake.reported.poison).to.deep.equal([]);
    expect(await countersOf(database)).to.deep.include({
      messages,
      messages_rejected: messages / 3,
      recorded: messages / 3,
      unknown: messages / 3,
      duplicates: 0,
    });
  });
});
