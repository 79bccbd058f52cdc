import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { SLOW_TAG, slownessOn } from '../../support/slowness.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

/** Three times as much as a process records at once. */
const MESSAGES = 8;
const BYTES = 800_000;

describe('an organization that sends large messages faster than they are recorded, at a broker of your own', () => {
  const broker = useMosquitto(() => ['max_inflight_messages 4000']);
  const database = useDatabase();
  const slowness = slownessOn(database);

  const send = (client: MqttClient, topic: string, index: number, filling = '') => {
    const observedAt = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    const value = topic === 'flood' ? SLOW_TAG : 'E28-other';
    return client.publishAsync(topic, JSON.stringify({ value, observed_at: observedAt, filling }), {
      qos: 1,
    });
  };
  const scansOf = async (value: string) =>
    (await database.rows('select from scan_events where tag_value = $1', [value])).length;

  it('holds up no other of its session, nor is anything recorded twice when the connection is lost', async () => {
    for (const [name, tag] of [
      ['flood', SLOW_TAG],
      ['other', 'E28-other'],
    ] as const) {
      const site = await Site.create(database, name);
      await site.asset(`PALLET-${name}`, tag);
      await site.reader(name, [await site.location('DOCK')]);
    }
    const { subscriber } = await startIngestOn(database, broker.url, { MQTT_SESSIONS: 1 });
    const { figures } = subscriber;
    await until(() => figures().subscribed === 2);
    const client = await broker.connect();
    // A chunk of TimescaleDB is there for all once it is committed.
    await send(client, 'other', 1);
    await until(async () => (await scansOf('E28-other')) === 1);
    await slowness.begin();
    for (let index = 0; index < MESSAGES; index++) {
      await send(client, 'flood', index, 'x'.repeat(BYTES));
    }
    await send(client, 'other', 2);
    await until(async () => (await scansOf('E28-other')) === 2);
    expect(await scansOf(SLOW_TAG)).to.equal(0);
    expect(figures()).to.include({ heldMessages: MESSAGES, received: 3 });
    expect(figures().heldBytes).to.be.above(MESSAGES * BYTES);

    const { connections } = figures();
    await client.endAsync();
    await broker.stop();
    await broker.start();
    await until(() => figures().connections > connections + 1);
    await slowness.end();
    await until(async () => (await scansOf(SLOW_TAG)) === MESSAGES);
    await until(() => figures().heldMessages === 0);
    // What was being recorded came again; what waited is taken from the new connection only.
    expect(figures().received).to.equal(MESSAGES + 3);
    expect(
      await database.rows(
        'select sum(recorded)::int as recorded, sum(duplicates)::int as duplicates from reader_counters',
      ),
    ).to.deep.equal([{ recorded: MESSAGES + 2, duplicates: 1 }]);
  });
});
