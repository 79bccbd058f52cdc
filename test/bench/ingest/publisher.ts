import { connect, type Socket } from 'node:net';
import { generate, parser } from 'mqtt-packet';
import { readerName } from './site.ts';
import { Stamp } from './stamp.ts';
import { type TrafficSettings, traffic } from './traffic.ts';

/**
 * Publishes what readers send, each on a connection of its own, at QoS 1. Packets are made before the start and written
 * to the sockets as they are: a client library would take more of the machine than what is measured.
 */
export interface PublishOrder {
  port: number;
  traffic: TrafficSettings;
  /** How many messages of a reader may await their acknowledgement. */
  window: number;
  /** Messages a second of all readers together; null for as many as there can be. */
  rate: number | null;
  /** Reads are observed when they are sent, and not when that was planned. */
  isStamped?: boolean;
}

interface Reader {
  socket: Socket;
  packets: Buffer[];
  next: number;
  acknowledged: number;
}

process.once('message', async (order: PublishOrder) => {
  const packets = Map.groupBy(traffic(order.traffic), ({ reader }) => reader);
  const readers = await Promise.all(
    [...packets].map(async ([reader, messages]) =>
      connected(
        order.port,
        readerName(reader),
        messages.map(({ topic, payload }, index) =>
          generate({
            cmd: 'publish',
            topic,
            payload,
            qos: 1,
            messageId: 1 + (index % 65_535),
            dup: false,
            retain: false,
          }),
        ),
      ),
    ),
  );
  process.send?.('ready');
  process.once('message', async () => {
    const start = performance.now();
    await Promise.all(readers.map((reader) => publish(reader, order, readers.length)));
    process.send?.({ seconds: (performance.now() - start) / 1_000 });
    for (const { socket } of readers) {
      socket.end(generate({ cmd: 'disconnect' }));
    }
    process.disconnect();
  });
});

async function connected(port: number, name: string, packets: Buffer[]): Promise<Reader> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const taken = Promise.withResolvers<void>();
  const reader: Reader = { socket, packets, next: 0, acknowledged: 0 };
  const answers = parser();
  answers.on('packet', ({ cmd }) => {
    if (cmd === 'connack') {
      taken.resolve();
    } else if (cmd === 'puback') {
      reader.acknowledged += 1;
      socket.emit('acknowledged');
    }
  });
  socket.on('data', (bytes) => answers.parse(bytes));
  socket.on('error', taken.reject);
  socket.write(
    generate({
      cmd: 'connect',
      clientId: `bench-${name}`,
      username: name,
      password: Buffer.from(name),
      keepalive: 0,
      clean: true,
      protocolId: 'MQTT',
      protocolVersion: 4,
    }),
  );
  await taken.promise;
  return reader;
}

function publish(reader: Reader, order: PublishOrder, readers: number): Promise<void> {
  const { window, rate } = order;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { socket, packets } = reader;
  const start = performance.now();
  const due = () =>
    rate === null ? packets.length : Math.ceil(((performance.now() - start) / 1_000) * (rate / readers));
  const stamp = order.isStamped === true ? new Stamp() : null;
  const send = () => {
    const end = Math.min(packets.length, reader.acknowledged + window, due());
    if (reader.next < end) {
      socket.cork();
      while (reader.next < end) {
        const packet = packets[reader.next++] ?? Buffer.alloc(0);
        stamp?.mark(packet);
        socket.write(packet);
      }
      socket.uncork();
    }
    if (reader.acknowledged === packets.length) {
      clearInterval(timer);
      resolve();
    }
  };
  const timer = setInterval(send, 2);
  socket.on('acknowledged', send);
  send();
  return promise;
}
