import { expect } from 'chai';
import type mqtt from 'mqtt';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { type Measured, PROCEDURES, readExpected, readMeasured } from '../../support/location/measured.ts';
import { installMeasured, type MeasuredSite, storedMoves } from '../../support/location/measured-site.ts';
import { onlyTags } from '../../support/location/play.ts';

describe('walks with true positions, published by their gateways', () => {
  const database = useDatabase();
  const expected = readExpected();
  const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
  const lifecycle = new Lifecycle(pino({ level: 'silent' }));
  database.beforeDrop(() => lifecycle.stop());

  it('give every move of every division and procedure, to the millisecond', async () => {
    const sites = new Map<string, MeasuredSite>();
    for (const division of Object.keys(walks.plan.zonings)) {
      for (const procedure of PROCEDURES) {
        sites.set(`${division} ${procedure}`, await installMeasured(database, walks, division, procedure));
      }
    }
    expect([...sites.keys()]).to.have.members(Object.keys(expected));
    // What was measured years ago is not too late.
    const config = { ...ingestConfig(database.url), LATENESS_DAYS: 36_500, READER_READS_PER_SECOND: 100_000 };
    const { port } = await startEmbeddedIngest(config, pino({ level: 'silent' }), lifecycle);
    await Promise.all([...sites.values()].map((site) => publishAll(port, site, walks)));
    for (const [name, site] of sites) {
      const moves = Object.entries(expected[name]?.moves ?? {}).filter(([tag]) => walks.reads.has(tag));
      expect(moves).to.have.lengthOf(5);
      expect(await storedMoves(database, site), name).to.deep.equal(Object.fromEntries(moves));
    }
  });
});

const READS_A_MESSAGE = 50;

/** Each gateway publishes its reads in order of time; all at once. */
async function publishAll(port: number, site: MeasuredSite, { reads }: Measured): Promise<void> {
  const all = [...reads]
    .flatMap(([tag, own]) => own.map((read) => ({ tag, ...read })))
    .sort((a, b) => a.at - b.at);
  await Promise.all(
    [...site.readers].map(async ([reader, { name }]) => {
      const client = connectReader(port, name);
      await connected(client);
      const own = all.filter((read) => read.reader === reader);
      const messages = Array.from({ length: Math.ceil(own.length / READS_A_MESSAGE) }, (_, index) =>
        own.slice(index * READS_A_MESSAGE, (index + 1) * READS_A_MESSAGE),
      );
      await Promise.all(messages.map((message) => publish(client, name, site, message)));
      await client.endAsync();
    }),
  );
}

async function publish(
  client: mqtt.MqttClient,
  topic: string,
  { assets }: MeasuredSite,
  reads: readonly { tag: string; at: number; antenna: number; rssi: number }[],
): Promise<void> {
  const payload = reads.map(({ tag, at, antenna, rssi }) => ({
    ...{ tag_type: 'ble', value: assets.get(tag)?.value, antenna, rssi },
    observed_at: new Date(at / 1_000).toISOString(),
  }));
  await client.publishAsync(topic, JSON.stringify(payload), { qos: 1 });
}
