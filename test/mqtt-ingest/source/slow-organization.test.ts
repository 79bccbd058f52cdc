import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

/** Far more than the broker lets be in flight at once: 20, as it is delivered. */
const MESSAGES = 200;

for (const version of ['5', '3.1.1'] as const) {
  describe(`an organization whose message takes too long to record, beside others of its session over MQTT ${version}`, () => {
    const broker = useMosquitto();
    const database = useDatabase();
    let reader: MqttClient;

    before(async () => {
      for (const name of ['slow', 'other']) {
        const site = await Site.create(database, name);
        await site.asset(`PALLET-${name}`, `E28-${name}`);
        await site.reader(name, [await site.location('DOCK')], { topic: name });
      }
      await database.rows(
        `create function run_out_of_time() returns trigger language plpgsql as
           $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$;
         create trigger out_of_time before insert on scan_events
           for each row when (new.tag_value = 'E28-slow') execute function run_out_of_time()`,
      );
      reader = await broker.connect();
    });

    const send = (name: string, index = 0) => {
      const observedAt = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
      const payload = JSON.stringify({ value: `E28-${name}`, observed_at: observedAt });
      return reader.publishAsync(name, payload, { qos: 1 });
    };
    const scansOf = async (name: string) =>
      (await database.rows('select from scan_events where tag_value = $1', [`E28-${name}`])).length;

    it('holds none of them up, and is recorded in the end', async () => {
      // With one session, all readers share it.
      const settings = { MQTT_VERSION: version, MQTT_SESSIONS: 1 };
      const ingest = await startIngestOn(database, broker.url, settings);
      await until(() => ingest.subscriber.figures().subscribed === 2);
      await send('slow');
      await Promise.all(Array.from({ length: MESSAGES }, (_, index) => send('other', index)));
      await until(async () => (await scansOf('other')) === MESSAGES);
      await until(() => ingest.subscriber.figures().heldMessages === 1);
      expect(await scansOf('slow')).to.equal(0);
      await ingest.stop();

      await database.rows('drop function run_out_of_time() cascade');
      const later = await startIngestOn(database, broker.url, settings);
      await until(async () => (await scansOf('slow')) === 1);
      await until(() => later.subscriber.figures().heldMessages === 0);
      // Nothing that was acknowledged came again.
      expect(later.subscriber.figures()).to.include({ received: 1, committed: 1 });
      await later.stop();
    });
  });
}
