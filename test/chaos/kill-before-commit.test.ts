import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { connected, connectReader, FlaggingStore } from '../support/ingest.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { IngestProgram } from './ingest-program.ts';

const WORDS = '{"value":"E2801160"}';

describe('readers without clocks, "A saw it, B saw it, A saw it again", and a kill before the last is committed', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const clients: MqttClient[] = [];
  let ingest: IngestProgram;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('a', [await site.location('A')]);
    await site.reader('b', [await site.location('B')]);
  });
  beforeEach(() => database.empty('scan_events, location_transitions, positions, received_messages'));
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await ingest.kill();
  });

  async function connect(port: number, name: string): Promise<MqttClient> {
    const client = connectReader(port, name, {
      clean: false,
      reconnectPeriod: 50,
      outgoingStore: new FlaggingStore(),
    });
    client.on('error', () => {});
    clients.push(client);
    await connected(client);
    return client;
  }
  const scans = async () => (await database.rows('select from scan_events')).length;
  const waitsForLock = async () =>
    (
      await database.rows(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;

  async function happens(port: number): Promise<void> {
    const [a, b] = [await connect(port, 'a'), await connect(port, 'b')];
    for (const [index, reader] of [a, b].entries()) {
      await reader.publishAsync(index === 0 ? 'a' : 'b', WORDS, { qos: 1 });
      await until(async () => (await scans()) === index + 1);
    }
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');
    const again = a.publishAsync('a', WORDS, { qos: 1 });
    await until(waitsForLock);
    await ingest.kill();
    await blocker.query('commit');
    blocker.release();
    await ingest.startUntilReady();
    await again;
  }
  const historyOf = async () =>
    (
      await database.rows<{ key: string }>(
        `select location.external_key as key from location_transitions
         join locations location on location.id = location_id order by observed_at`,
      )
    ).map(({ key }) => key);

  it('end with it at A, where they publish to this service', async () => {
    const port = await freePort();
    ingest = IngestProgram.embedded(port, { DATABASE_URL: database.url });
    await ingest.start();
    await happens(port);
    expect(await historyOf()).to.deep.equal(['A', 'B', 'A']);
    expect(await scans()).to.equal(3);
  });

  it('end with it at A, where a broker is between', async () => {
    ingest = IngestProgram.subscribed(broker.url, 'ingest', { DATABASE_URL: database.url });
    await ingest.start();
    await until(async () => (await ingest.figure('subscriptions')) === 2);
    await happens(broker.port);
    await until(async () => (await ingest.figure('committed_messages_total')) === 1);
    expect(await historyOf()).to.deep.equal(['A', 'B', 'A']);
    expect(await scans()).to.equal(3);
  });
});
