import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import type { SubscribedIngestConfig } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import {
  type RunningIngest,
  startIngestOn,
  subscribedConfig,
  until,
} from '../../support/subscribed-ingest.ts';

const TOPICS = ['site/a', 'site/b', 'site/c', 'site/d', 'gates/+'];

describe('sessions at a broker among which readers are divided', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  let site: Site;
  let dock: number;
  let reader: MqttClient;
  let published = 0;
  const running: RunningIngest[] = [];

  before(async () => {
    site = await Site.create(database);
    dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    for (const [index, topic] of TOPICS.entries()) {
      await site.reader(`reader-${index}`, [dock], { topic });
    }
    reader = await broker.connect();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((ingest) => ingest.stop()));
  });

  async function start(settings: Partial<SubscribedIngestConfig> = {}): Promise<RunningIngest> {
    const ingest = await startIngestOn(database, broker.url, settings);
    running.push(ingest);
    return ingest;
  }
  async function stop(ingest: RunningIngest): Promise<void> {
    running.splice(running.indexOf(ingest), 1);
    await ingest.stop();
  }
  /** One message of every reader, each at a time of its own. */
  const publish = async () => {
    for (const topic of TOPICS) {
      await publishOn(topic.replace('+', '7'));
    }
  };
  async function publishOn(topic: string): Promise<void> {
    const observed_at = new Date(BEGAN + published++).toISOString();
    await reader.publishAsync(topic, JSON.stringify({ value: 'E2801160', observed_at }), { qos: 1 });
  }
  /** What comes twice while a topic moves may have been read by two readers; by its time it is one. */
  const stored = async () => {
    const [row] = await database.rows<{ count: number }>(
      'select count(distinct observed_at) as count from scan_events',
    );
    return row?.count;
  };
  const allStored = () => until(async () => (await stored()) === published);
  const covers = (ingest: RunningIngest, count = TOPICS.length) =>
    until(() => ingest.subscriber.figures().subscribed === count);
  /** Resolves when every message is handed over once, so that no other session holds its topic any more. */
  const settled = ({ subscriber }: RunningIngest) =>
    until(async () => {
      const before = subscriber.figures().received;
      await publish();
      await allStored();
      await until(() => subscriber.figures().heldMessages === 0);
      return subscriber.figures().received === before + TOPICS.length;
    });

  for (const kind of ['', '$share/tagtrail/']) {
    it(`take over from a session of an earlier release, with what the broker kept for it (${kind || 'ordinary'})`, async () => {
      const earlier = await broker.connect({ clientId: 'ingest', clean: false });
      await earlier.subscribeAsync(
        TOPICS.map((topic) => kind + topic),
        { qos: 1 },
      );
      await earlier.endAsync();
      await publish();
      const ingest = await start();
      await allStored();
      await settled(ingest);
    });
  }

  it('lose nothing when their number changes, or how readers are divided', async () => {
    for (const settings of [
      { MQTT_SESSIONS: 4 },
      { MQTT_SESSIONS: 3 },
      { MQTT_SESSIONS: 7 },
      { MQTT_SHARED: 'on' },
      { MQTT_SESSIONS: 2 },
      { MQTT_SHARED: 'off' },
      { MQTT_SESSIONS: 1 },
    ] as const) {
      await publish();
      const ingest = await start(settings);
      await publish();
      await covers(ingest);
      await allStored();
      await settled(ingest);
      await stop(ingest);
    }
    expect(await database.rows('select from rejected_messages')).to.have.lengthOf(0);
  });

  it('let go of a topic only when the session it moves to is subscribed', async () => {
    const ingest = await start();
    await covers(ingest);
    let isMoving = true;
    const publishing = (async () => {
      while (isMoving) {
        await publishOn('site/a');
      }
    })();
    for (let time = 0; time < 6; time++) {
      const before = published;
      // Another reader has the topic from one moment to the next, and with that another session.
      await database.rows(
        `with gone as (update readers set deleted_at = now() where topic = 'site/a' and deleted_at is null returning *),
           come as (insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
             select org_id, 'moved-${time}', topic, format, 'moved-${time}', mqtt_password_sha256 from gone
             returning org_id, id)
         insert into antennas (org_id, reader_id, port, location_id) select org_id, id, 1, ${dock} from come`,
      );
      await until(() => published > before + 50);
    }
    isMoving = false;
    await publishing;
    await allStored();
  });

  it('are divided among processes, and all with the other when one stops', async () => {
    const [one, two] = [await start({ MQTT_CLIENT_ID: 'one' }), await start({ MQTT_CLIENT_ID: 'two' })];
    const sessions = () => [one, two].map(({ subscriber }) => subscriber.figures().sessions);
    await until(() => Math.abs((sessions()[0] ?? 0) - (sessions()[1] ?? 0)) <= 1 && !sessions().includes(0));
    await until(() => [one, two].every(({ subscriber }) => subscriber.figures().subscribed > 0));
    await publish();
    await allStored();
    await stop(one);
    await publish();
    await covers(two);
    await allStored();
  });

  it('are free when a process has stopped in order, for one of any name; of one that vanished when it is missed', async () => {
    const held = () =>
      database.rows<{ client_id: string }>('select client_id from broker_sessions where held_until > now()');
    const one = await start({ MQTT_CLIENT_ID: 'one' });
    await covers(one);
    const { length } = (await held()).filter(({ client_id: id }) => id !== 'one');
    expect(length).to.be.at.least(SESSIONS);
    await stop(one);
    expect(await held()).to.deep.equal([]);

    await database.rows(
      `update broker_sessions set holder = 'vanished', held_until = now() + interval '1 hour' where client_id = 'tagtrail-readers-0'`,
    );
    const two = await start({ MQTT_CLIENT_ID: 'two' });
    await until(() => two.subscriber.figures().sessions === length - 1);
    await database.rows(`update broker_sessions set held_until = now() where holder = 'vanished'`);
    await covers(two);
    await publish();
    await allStored();
  });
});

/** As many as the suite's configuration says. */
const SESSIONS = subscribedConfig('', '').MQTT_SESSIONS;

const BEGAN = Date.now() - 86_400_000;
