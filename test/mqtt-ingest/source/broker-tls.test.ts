import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readIngestConfig } from '../../../services/mqtt-ingest/config.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/mqtt-tls/${name}`, import.meta.url));

describe('ingestion from a broker that wants client certificates', () => {
  const database = useDatabase();
  let port: number;
  before(async () => {
    port = await freePort();
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
  });
  const broker = useMosquitto(({ folder }) => {
    for (const file of ['ca.crt', 'broker.crt', 'broker.key']) {
      copyFileSync(fixture(file), join(folder, file));
      // Run by root, it reads them as a user of its own.
      chmodSync(join(folder, file), 0o644);
    }
    return [
      `listener ${port} 127.0.0.1`,
      `cafile ${folder}/ca.crt`,
      `certfile ${folder}/broker.crt`,
      `keyfile ${folder}/broker.key`,
      'require_certificate true',
    ];
  });

  const start = (files: Record<string, string>) => {
    const url = `mqtts://localhost:${port}`;
    const config = readIngestConfig({ DATABASE_URL: database.url, MQTT_URL: url, ...files });
    return startIngestOn(database, url, { ...config, MQTT_CLIENT_ID: 'ingest' });
  };
  const CA = { MQTT_CA_FILE: fixture('ca.crt') };

  it('shows its certificate, and records', async () => {
    const ingest = await start({
      ...CA,
      MQTT_CERT_FILE: fixture('client.crt'),
      MQTT_KEY_FILE: fixture('client.key'),
    });
    await until(() => ingest.subscriber.figures().subscribed === 1);
    const reader = await broker.connect();
    await reader.publishAsync('site/portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    await until(async () => (await database.rows('select from scan_events')).length === 1);
    await ingest.stop();
  });

  it('trusts no broker that nobody vouches for', async () => {
    const ingest = await start({});
    await until(() => reasonOf(ingest).then((reason) => /self.signed certificate/.test(reason)));
    await ingest.stop();
  });

  it('does not get in without a certificate', async () => {
    const ingest = await start(CA);
    await until(() => reasonOf(ingest).then((reason) => !reason.includes('not connected yet')));
    expect(ingest.subscriber.figures().connections).to.equal(0);
    await ingest.stop();
  });

  const reasonOf = (ingest: Awaited<ReturnType<typeof start>>) =>
    ingest.subscriber.requireConnected().then(
      () => '',
      (error: Error) => error.message,
    );
});
