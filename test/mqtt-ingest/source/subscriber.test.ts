import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { type RunningIngest, startIngestOn, until } from '../../support/subscribed-ingest.ts';

for (const version of ['5', '3.1.1'] as const) {
  describe(`ingestion from a broker over MQTT ${version}`, () => {
    const broker = useMosquitto();
    const database = useDatabase();
    let ingest: RunningIngest;
    let reader: MqttClient;

    before(async () => {
      const site = await Site.create(database);
      await site.asset('PALLET', 'E2801160');
      await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
      ingest = await startIngestOn(database, broker.url, { MQTT_VERSION: version });
      await until(() => ingest.subscriber.figures().subscribed === 1);
      reader = await broker.connect();
    });

    const rssis = async () =>
      (await database.rows<{ rssi: number }>('select rssi from scan_events order by observed_at, rssi')).map(
        ({ rssi }) => rssi,
      );

    it('records what is published on a registered topic, at any QoS', async () => {
      for (const qos of [0, 1, 2] as const) {
        const payload = JSON.stringify({ value: 'E2801160', rssi: -qos - 1 });
        await reader.publishAsync('site/portal', payload, { qos });
      }
      await until(async () => (await rssis()).length === 3);
      expect((await rssis()).sort()).to.deep.equal([-1, -2, -3]);
      expect(ingest.subscriber.figures()).to.include({
        received: 3,
        committed: 3,
        heldMessages: 0,
        heldBytes: 0,
      });
    });
  });
}
