import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { type Program, run } from '../../support/process.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

const ASSETS = 20;
const MESSAGES = 200;

describe('two ingest processes at one broker', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const programs = new Map<string, Program>();

  before(async () => {
    const site = await Site.create(database);
    const places = [await site.location('DOCK'), await site.location('YARD'), await site.location('HALL')];
    await site.reader('portal', places, { topic: 'site/portal' });
    await site.reader('gates', places, { topic: 'gates/+' });
    for (let asset = 0; asset < ASSETS; asset++) {
      await site.asset(`PALLET-${asset}`, tagOf(asset));
    }
    await Promise.all(['one', 'two'].map(start));
    await divided();
  });
  database.beforeDrop(() => Promise.all([...programs.keys()].map((name) => end(name, 'SIGKILL'))));

  async function start(name: string): Promise<void> {
    const program = run('services/mqtt-ingest/main.ts', [], {
      DATABASE_URL: database.url,
      MQTT_URL: broker.url,
      MQTT_CLIENT_ID: name,
      INGEST_PORT: '0',
    });
    programs.set(name, program);
    await program.printed('Ingestion running');
    await until(async () => (await figure(name, 'broker_connected')) === 1);
  }
  /** Each has its half of the sessions, and with them one of the two readers. */
  const divided = () =>
    until(async () => {
      const figures = await Promise.all(
        [...programs.keys()].flatMap((name) => [figure(name, 'sessions'), figure(name, 'subscriptions')]),
      );
      return figures.join() === '4,1,4,1';
    });
  async function end(name: string, signal: NodeJS.Signals): Promise<void> {
    const program = programs.get(name);
    programs.delete(name);
    program?.child.kill(signal);
    await program?.ended;
  }
  async function figure(name: string, metric: string): Promise<number> {
    const [, address = ''] = /"address":"([^"]+)"/.exec(programs.get(name)?.stdout() ?? '') ?? [];
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(new RegExp(`^tagtrail_ingest_${metric} (.+)$`, 'm').exec(text)?.[1]);
  }
  const stored = async () => (await database.rows('select from scan_events')).length;

  /** Every asset is somewhere else in each message, at times that are shuffled over the messages. */
  async function publish(from: number, to: number): Promise<void> {
    const reader = await broker.connect();
    const publishes = Array.from({ length: to - from }, (_, index) => {
      const message = from + index;
      const reads = Array.from({ length: ASSETS }, (_, asset) => ({
        value: tagOf(asset),
        antenna: 1 + ((message * 7 + asset) % 3),
        observed_at: new Date(BEGAN + ((message * 151) % MESSAGES) * 1_000).toISOString(),
      }));
      const topic = message % 2 === 0 ? 'site/portal' : `gates/${message % 5}`;
      return reader.publishAsync(topic, JSON.stringify(reads), { qos: 1 });
    });
    await Promise.all(publishes);
  }

  /** What the scans that are stored make of each asset, against the transitions and positions that are stored. */
  async function expectConsistent(): Promise<void> {
    const [differences] = await database.rows(
      `with stays as (
         select asset_id, observed_at, location_id,
           lag(location_id) over (partition by asset_id order by observed_at) as previous
         from scan_events
       ), moves as (select asset_id, observed_at, location_id from stays where previous is distinct from location_id)
       select (select count(*) from moves full join location_transitions stored
                 using (asset_id, observed_at, location_id) where moves.asset_id is null or stored.asset_id is null)
                as transitions,
              (select count(*) from positions where (asset_id, location_id) not in (
                 select distinct on (asset_id) asset_id, location_id from stays order by asset_id, observed_at desc))
                as positions,
              (select count(*) from location_transitions) > $1 as has_moves`,
      [ASSETS * 10],
    );
    expect(differences).to.deep.equal({ transitions: 0, positions: 0, has_moves: true });
  }

  it('divide the load and record the same assets rightly', async () => {
    await publish(0, MESSAGES / 2);
    await until(async () => (await stored()) === (MESSAGES / 2) * ASSETS);
    const counts = await Promise.all(['one', 'two'].map((name) => figure(name, 'committed_messages_total')));
    expect(counts.reduce((sum, count) => sum + count)).to.equal(MESSAGES / 2);
    expect(Math.min(...counts)).to.be.above(MESSAGES / 8);
    await expectConsistent();
  });

  itByNight(
    'lose nothing and store nothing twice when one is killed: the other has all, until it comes back',
    async () => {
      const publishing = publish(MESSAGES / 2, MESSAGES);
      await until(async () => (await stored()) > (MESSAGES / 2) * ASSETS);
      await end('one', 'SIGKILL');
      await publishing;
      await until(async () => (await stored()) >= MESSAGES * ASSETS);
      expect(await figure('two', 'sessions')).to.equal(8);
      await start('one');
      await divided();
      await Promise.all([end('one', 'SIGTERM'), end('two', 'SIGTERM')]);
      expect(await stored()).to.equal(MESSAGES * ASSETS);
      await expectConsistent();
    },
  );
});

const BEGAN = Date.now() - 86_400_000;
const tagOf = (asset: number) => `E28011${String(asset).padStart(4, '0')}`;
