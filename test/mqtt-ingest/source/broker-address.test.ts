import { expect } from 'chai';
import { brokerAddress } from '../../../services/mqtt-ingest/source/broker-address.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

describe("a broker's address", () => {
  const tls = { ca: null, cert: null, key: null };

  it('holds the credentials as they were meant', () => {
    expect(brokerAddress('mqtt://dock%40home:a:b%2Fc@broker.example:1884', tls)).to.deep.equal({
      protocol: 'mqtt',
      host: 'broker.example',
      port: 1884,
      username: 'dock@home',
      password: 'a:b/c',
    });
    expect(brokerAddress('mqtt://user:100%@[::1]', tls)).to.deep.equal({
      protocol: 'mqtt',
      host: '::1',
      username: 'user',
      password: '100%',
    });
  });

  it('holds the path of a WebSocket', () => {
    expect(brokerAddress('wss://broker.example/mqtt?x=1', tls)).to.deep.equal({
      protocol: 'wss',
      host: 'broker.example',
      path: '/mqtt?x=1',
    });
  });
});

describe('ingestion from a broker over a WebSocket', () => {
  const database = useDatabase();
  let port: number;
  before(async () => {
    port = await freePort();
  });
  const broker = useMosquitto(() => [`listener ${port} 127.0.0.1`, 'protocol websockets']);

  it('records', async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
    const ingest = await startIngestOn(database, `ws://127.0.0.1:${port}/mqtt`);
    await until(() => ingest.subscriber.figures().subscribed === 1);
    const reader = await broker.connect();
    await reader.publishAsync('site/portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    await until(async () => (await database.rows('select from scan_events')).length === 1);
    await until(() => ingest.subscriber.figures().heldMessages === 0);
    await ingest.stop();
  });
});
