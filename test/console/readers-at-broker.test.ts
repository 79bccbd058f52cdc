import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useConsole } from '../support/console.ts';
import { countersOf } from '../support/intake.ts';
import { Link } from '../support/link.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { startIngestOn, until } from '../support/subscribed-ingest.ts';

describe('a reader at a broker of its own, once the console has registered it', () => {
  const broker = useMosquitto();
  const suite = useConsole({ READERS_MQTT_URL: 'mqtt://broker.example.com:1883' });
  let publisher: MqttClient;
  let link: Link;
  let sent = 0;

  before(async () => {
    publisher = await broker.connect();
    const { hostname, port } = new URL(broker.url);
    link = await Link.open({ host: hostname, port: Number(port) });
    suite.database.beforeDrop(() => link.close());
    await startIngestOn(suite.database, link.by(broker.url));
    await until(
      async () => (await suite.database.rows('select from broker_sessions where is_connected')).length > 0,
    );
  });

  const create = (topic: string) =>
    suite.call({ method: 'POST', path: '/readers', json: { name: topic, topic, format: 'tagtrail' } });
  async function arrives(topic: string): Promise<void> {
    sent += 1;
    await publisher.publishAsync(topic, '{"value":"E280"}', { qos: 1 });
    await until(async () => (await countersOf(suite.database))?.['messages'] === sent);
  }

  it('loses nothing that it sends, however slow the way to the broker', async () => {
    link.slow(500);
    const { data } = (await create('one')).body;
    expect([data.subscribed, data.mqtt_url]).to.deep.equal([true, 'mqtt://broker.example.com:1883']);
    await arrives('one');
    const changed = await suite.call({
      method: 'PATCH',
      path: `/readers/${data.id}`,
      json: { topic: 'two' },
    });
    expect(changed.body.data.subscribed, changed.text).to.equal(true);
    await arrives('two');
    link.mend();
  });

  it('is said not to be subscribed to where it is not, with its password', async () => {
    link.stall();
    const { data } = (await create('three')).body;
    expect(data.subscribed).to.equal(false);
    expect(data.mqtt_password).to.be.a('string').that.has.length(32);
    link.mend();
  });
});
