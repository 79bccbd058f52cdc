import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf } from '../../support/intake.ts';
import { Link } from '../../support/link.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

describe('a reader at a broker of its own, once the command that registered it has ended', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const { json, tagtrail } = commandLineOn(() => database);
  let site: Site;
  let publisher: MqttClient;
  let link: Link;
  let sent = 0;

  before(async () => {
    site = await Site.create(database);
    publisher = await broker.connect();
    const { hostname, port } = new URL(broker.url);
    link = await Link.open({ host: hostname, port: Number(port) });
    database.beforeDrop(() => link.close());
    await startIngestOn(database, link.by(broker.url));
    await until(
      async () => (await database.rows('select from broker_sessions where is_connected')).length > 0,
    );
  });

  async function publish(topic: string): Promise<void> {
    sent += 1;
    await publisher.publishAsync(topic, '{"value":"E280"}', { qos: 1 });
  }
  const received = async () => (await countersOf(database))?.['messages'];
  const create = (topic: string) => [
    'reader',
    'create',
    '--org',
    String(site.orgId),
    '--name',
    topic,
    '--topic',
    topic,
    '--format',
    'tagtrail',
  ];

  it('loses nothing that it sends, however slow the way to the broker', async () => {
    link.slow(500);
    const { id } = await json(...create('one'));
    await publish('one');
    // What comes when the topic has changed is nobody's.
    await until(async () => (await received()) === sent);
    await json('reader', 'set', '--reader', String(id), '--topic', 'two');
    await publish('two');
    await until(async () => (await received()) === sent);
    link.mend();
  });

  it('is said not to be subscribed to where it is not', async () => {
    link.stall();
    const { status, stdout, stderr } = await tagtrail(...create('three'));
    expect({ status }).to.deep.equal({ status: 0 });
    expect(stdout).to.include('MQTT password');
    expect(stderr).to.match(/^Ingestion has not subscribed to three at its broker yet; /);
    link.mend();
  });
});
