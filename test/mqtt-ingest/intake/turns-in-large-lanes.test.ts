import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useIngest } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';
import { SLOW_TAG, slownessOn } from '../../support/slowness.ts';

const SLOW = ['slow 1', 'slow 2', 'slow 3', 'slow 4', 'slow 5', 'slow 6'];

/** A message of so many reads that it goes by the lanes for large ones. */
function large(first: string): string {
  return JSON.stringify(
    [first, ...Array.from({ length: 1_200 }, (_, at) => `U-${at}`)].map((value) => ({ value })),
  );
}

describe('an organization whose large messages take long to record, from six readers', () => {
  const database = useDatabase();
  const slowness = slownessOn(database);
  const ingest = useIngest(database);
  const acknowledged: string[] = [];

  before(async () => {
    const slow = await Site.create(database, 'Slow');
    await slow.asset('HEAVY', SLOW_TAG);
    const yard = await slow.location('YARD');
    for (const name of SLOW) {
      await slow.reader(name, [yard]);
    }
    for (const name of ['other', 'third']) {
      const site = await Site.create(database, name);
      await site.asset(`PALLET-${name}`, `E28-${name}`);
      await site.reader(name, [await site.location('DOCK')]);
    }
  });

  const send = async (name: string, payload: string) => {
    const client = await ingest.connect(name);
    await client.publishAsync(name, payload, { qos: 1 });
    acknowledged.push(name);
  };

  it('keeps no large message of other organizations waiting', async () => {
    // A chunk of TimescaleDB is there for all once it is committed.
    await send('third', '[{"value":"E28-third"}]');
    acknowledged.length = 0;
    await slowness.begin();
    const all = SLOW.map((name) => send(name, large(SLOW_TAG)));
    await slowness.isUnderWay();
    await send('other', large('E28-other'));
    await send('third', large('E28-third'));
    expect(acknowledged).to.deep.equal(['other', 'third']);
    await slowness.end();
    await Promise.all(all);
    expect(acknowledged.slice(2)).to.have.members(SLOW);
    expect(
      await database.rows(
        'select tag_value, count(*) from scan_events group by tag_value order by tag_value collate "C"',
      ),
    ).to.deep.equal([
      { tag_value: SLOW_TAG, count: SLOW.length },
      { tag_value: 'E28-other', count: 1 },
      { tag_value: 'E28-third', count: 2 },
    ]);
  });
});
