import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';
import { untilWaitingFor } from '../../support/until-waiting.ts';

const READERS = ['gate 1', 'gate 2', 'gate 3', 'gate 4'];

/** So many unknown tags in a message. */
function unknownTags(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, at) => ({ value: `${at}`.padStart(24, 'E') })));
}

describe('a message of thousands of unknown tags', () => {
  const database = useDatabase();
  const committed: string[] = [];
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    for (const name of ['portal', ...READERS]) {
      await site.reader(name, [dock]);
    }
    intake = await openIntake(database, database.pool, {
      onCommitted: ({ topic, mapped }) =>
        committed.push(`${topic}: ${mapped.outcome === 'items' ? mapped.items.length : 0}`),
    });
  });
  beforeEach(() => {
    committed.length = 0;
  });

  it('keeps no other reader waiting for its commit, and its own reader in order', async () => {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('lock table unknown_tags in exclusive mode');
    const own = [
      intake.receive('portal', '[{"value":"E280"},{"value":"E280","antenna":2}]'),
      intake.receive('portal', unknownTags(2_000)),
      intake.receive('portal', '{"value":"E280"}'),
    ];
    await untilWaitingFor(database, 'unknown_tags');
    await Promise.all(READERS.map((name) => intake.receive(name, '{"value":"E280"}')));
    expect(committed).to.include.members(READERS.map((name) => `${name}: 1`));
    expect(committed).to.not.include('portal: 2000');
    await client.query('commit');
    client.release();
    await Promise.all(own);
    expect(committed.filter((line) => line.startsWith('portal'))).to.deep.equal([
      'portal: 2',
      'portal: 2000',
      'portal: 1',
    ]);
  });

  it('is recorded before a stop is over, and what it waited for', async () => {
    const own = Promise.all([
      intake.receive('portal', '{"value":"E280"}'),
      intake.receive('portal', unknownTags(1_500)),
    ]);
    await intake.drain(60_000);
    expect(committed).to.deep.equal(['portal: 1', 'portal: 1500']);
    await own;
  });
});
