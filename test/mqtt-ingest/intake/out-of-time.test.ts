import { expect } from 'chai';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';

describe('a message that cannot be recorded within the time limit of a statement', () => {
  const database = useDatabase();
  const NAMES = ['slow', 'beside', 'other'] as const;

  before(async () => {
    const sites = [await Site.create(database, 'Slow'), await Site.create(database, 'Other')] as const;
    // Even ids, so that all share a lane.
    await database.rows('alter sequence readers_id_seq increment 2 restart 2');
    for (const name of NAMES) {
      const site = name === 'other' ? sites[1] : sites[0];
      await site.asset(`PALLET-${name}`, `E28-${name}`);
      await site.reader(name, [await site.location(`DOCK-${name}`)]);
    }
    await sites[0].asset('HEAVY', 'E28-HEAVY');
  });
  beforeEach(() =>
    database.rows(
      `create function run_out_of_time() returns trigger language plpgsql as
         $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$;
       create trigger out_of_time before insert on scan_events
         for each row when (new.tag_value = 'E28-HEAVY') execute function run_out_of_time()`,
    ),
  );
  const inTimeAgain = () => database.rows('drop function if exists run_out_of_time() cascade');
  afterEach(inTimeAgain);

  async function start() {
    const { log, lines } = recordedLog();
    const lifecycle = new Lifecycle(log);
    const { port } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle);
    const clients = new Map(NAMES.map((name) => [name, connectReader(port, name)]));
    database.beforeDrop(async () => {
      await Promise.all([...clients.values()].map((client) => client.endAsync(true)));
      await lifecycle.stop();
    });
    await Promise.all([...clients.values()].map(connected));
    const send = async (name: (typeof NAMES)[number], reads: readonly object[]) => {
      await clients.get(name)?.publishAsync(name, JSON.stringify(reads), { qos: 1 });
    };
    return { lines, lifecycle, clients, send };
  }

  it('waits by itself, while all others are recorded, those of its reader too', async () => {
    const { lines, send } = await start();
    let isAcknowledged = false;
    const heavy = send('slow', [{ value: 'E28-HEAVY' }, { value: 'E28-slow' }]).then(() => {
      isAcknowledged = true;
    });
    const around = NAMES.map((name) => send(name, [{ value: `E28-${name}` }]));
    await Promise.all(around);
    for (let round = 0; round < 5; round++) {
      await Promise.all(NAMES.map((name) => send(name, [{ value: `E28-${name}` }])));
    }
    // A large message waits for its reader's small ones.
    await send(
      'slow',
      Array.from({ length: 1_200 }, (_, index) => ({ value: `UNKNOWN-${index}` })),
    );
    const counts = () =>
      database.rows(
        'select tag_value, count(*) from scan_events group by tag_value order by tag_value collate "C"',
      );
    expect(await counts()).to.deep.equal([
      { tag_value: 'E28-beside', count: 6 },
      { tag_value: 'E28-other', count: 6 },
      { tag_value: 'E28-slow', count: 6 },
    ]);
    expect(isAcknowledged).to.equal(false);
    const told = lines.filter(({ msg }) => msg.includes('within the time limit'));
    expect(told.map(({ orgId, reader }) => [orgId, reader])).to.include.deep.members([[1, 'slow']]);
    expect(told.filter(({ reader }) => reader === 'slow')).to.have.lengthOf(1);
    expect(lines.filter(({ msg }) => msg.startsWith('Database unavailable'))).to.deep.equal([]);
    await inTimeAgain();
    await heavy;
    expect(await counts()).to.deep.equal([
      { tag_value: 'E28-HEAVY', count: 1 },
      { tag_value: 'E28-beside', count: 6 },
      { tag_value: 'E28-other', count: 6 },
      { tag_value: 'E28-slow', count: 7 },
    ]);
  });

  it('keeps no process from stopping, and stays unacknowledged', async () => {
    const { lines, lifecycle, clients } = await start();
    let isAcknowledged = false;
    clients.get('slow')?.publish('slow', '[{"value":"E28-HEAVY"}]', { qos: 1 }, (error) => {
      isAcknowledged = error === undefined || error === null;
    });
    while (!lines.some(({ msg }) => msg.includes('within the time limit'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await lifecycle.stop();
    expect(isAcknowledged).to.equal(false);
    expect(lines.filter(({ msg }) => msg.startsWith('Part failed'))).to.deep.equal([]);
  });
});
