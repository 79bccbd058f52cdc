import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useIngest } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';

const SLOW = ['slow 1', 'slow 2', 'slow 3', 'slow 4', 'slow 5', 'slow 6'];

/** A message of so many reads that it goes by the lanes for large ones. */
function large(first: string): string {
  return JSON.stringify(
    [first, ...Array.from({ length: 1_200 }, (_, at) => `U-${at}`)].map((value) => ({ value })),
  );
}

describe('an organization whose large messages take long to record, from six readers', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  const acknowledged: string[] = [];

  before(async () => {
    const slow = await Site.create(database, 'Slow');
    await slow.asset('HEAVY', 'E28-HEAVY');
    const yard = await slow.location('YARD');
    for (const name of SLOW) {
      await slow.reader(name, [yard]);
    }
    for (const name of ['other', 'third']) {
      const site = await Site.create(database, name);
      await site.asset(`PALLET-${name}`, `E28-${name}`);
      await site.reader(name, [await site.location('DOCK')]);
    }
    // As long as a row is here. A lock would not do: what waits for one goes aside.
    await database.rows(
      `create table slowness (is_on boolean);
       grant select on slowness to public;
       create function take_long() returns trigger language plpgsql as
         $$ begin while exists (select from slowness) loop perform pg_sleep(0.005); end loop; return new; end $$;
       create trigger take_long before insert on scan_events
         for each row when (new.tag_value = 'E28-HEAVY') execute function take_long()`,
    );
  });

  const send = async (name: string, payload: string) => {
    const client = await ingest.connect(name);
    await client.publishAsync(name, payload, { qos: 1 });
    acknowledged.push(name);
  };
  const untilOneIsUnderWay = async () => {
    const sleeping = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    while ((await database.rows(sleeping)).length === 0) {
      // The database is asked again.
    }
  };

  it('keeps no large message of other organizations waiting', async () => {
    await database.rows('insert into slowness values (true)');
    const all = SLOW.map((name) => send(name, large('E28-HEAVY')));
    await untilOneIsUnderWay();
    await send('other', large('E28-other'));
    await send('third', large('E28-third'));
    expect(acknowledged).to.deep.equal(['other', 'third']);
    await database.rows('delete from slowness');
    await Promise.all(all);
    expect(acknowledged.slice(2)).to.have.members(SLOW);
    expect(
      await database.rows(
        'select tag_value, count(*) from scan_events group by tag_value order by tag_value collate "C"',
      ),
    ).to.deep.equal([
      { tag_value: 'E28-HEAVY', count: SLOW.length },
      { tag_value: 'E28-other', count: 1 },
      { tag_value: 'E28-third', count: 1 },
    ]);
  });
});
