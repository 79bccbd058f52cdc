import type mqtt from 'mqtt';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { createRandom, type Random } from '../../../simulation/random.ts';
import { connected, connectReader } from '../ingest.ts';
import type { Measured, MeasuredRead } from './measured.ts';
import type { MeasuredSite } from './measured-site.ts';
import { shuffled } from './play.ts';

type TaggedRead = MeasuredRead & { tag: string };

/** Reads that a gateway publishes together, and which of the brokers gets them. */
interface Message {
  reads: readonly TaggedRead[];
  writer: number;
}

const READS_A_MESSAGE = 50;

/** Of one gateway's reads, in order of time. */
const ORDERS = {
  'in order of time': (reads) => messagesOf(reads),
  shuffled: (reads, random) => messagesOf(shuffled(reads, random)),
  doubled: (reads) => messagesOf(reads).flatMap((each, index, all) => [each, all[index - 1] ?? each]),
  'in late pieces of an hour': (reads, random) =>
    shuffled([...Map.groupBy(reads, ({ at }) => Math.floor(at / HOUR)).values()], random).flatMap(messagesOf),
  'by two writers at once': (reads) =>
    messagesOf(reads).map((each, index) => ({ ...each, writer: index % 2 })),
} satisfies Record<string, (reads: readonly TaggedRead[], random: Random) => Message[]>;

export type PublishedOrder = keyof typeof ORDERS;

export const PUBLISHED_ORDERS = Object.keys(ORDERS) as PublishedOrder[];

const HOUR = 3_600 * MICROS_PER_SECOND;

/** All gateways of all sites publish at once. @param ports of brokers: one for each writer. */
export async function publishMeasured(
  ports: readonly number[],
  sites: Iterable<MeasuredSite>,
  { reads }: Measured,
  order: PublishedOrder,
  seed = 1,
): Promise<void> {
  const random = createRandom(seed);
  const all = [...reads]
    .flatMap(([tag, own]) => own.map((read) => ({ tag, ...read })))
    .sort((a, b) => a.at - b.at);
  const gateways = [...sites].flatMap((site) =>
    [...site.readers].map(([reader, { name }]) => {
      const own = all.filter((read) => read.reader === reader);
      return { site, name, messages: ORDERS[order](own, random) };
    }),
  );
  await Promise.all(
    gateways.flatMap(({ site, name, messages }) =>
      ports.map(async (port, writer) => {
        // As devices do, it sends again what was not acknowledged before the connection was lost.
        const client = connectReader(port, name, { reconnectPeriod: 200 });
        await connected(client);
        const own = messages.filter((each) => each.writer === writer);
        await Promise.all(own.map((message) => publish(client, name, site, message)));
        await client.endAsync();
      }),
    ),
  );
}

function messagesOf(reads: readonly TaggedRead[]): Message[] {
  return Array.from({ length: Math.ceil(reads.length / READS_A_MESSAGE) }, (_, index) => ({
    reads: reads.slice(index * READS_A_MESSAGE, (index + 1) * READS_A_MESSAGE),
    writer: 0,
  }));
}

async function publish(
  client: mqtt.MqttClient,
  topic: string,
  { assets }: MeasuredSite,
  { reads }: Message,
): Promise<void> {
  const payload = reads.map(({ tag, at, antenna, rssi }) => ({
    ...{ tag_type: 'ble', value: assets.get(tag)?.value, antenna, rssi },
    observed_at: new Date(at / 1_000).toISOString(),
  }));
  await client.publishAsync(topic, JSON.stringify(payload), { qos: 1 });
}
