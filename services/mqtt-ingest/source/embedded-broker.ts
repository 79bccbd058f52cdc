import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import { listenFault } from '../../shared/runtime/listen-fault.ts';
import type { Intake } from '../intake/intake.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';
import type { Registry } from '../registry/registry.ts';
import { HeldMessages, MOST_HELD } from './held-messages.ts';
import { PacketGuard } from './packet-guard.ts';
import { ReadGate } from './read-gate.ts';
import { ReaderKeepalive } from './reader-keepalive.ts';

/**
 * An MQTT 3.1.1 broker that readers publish to directly. A reader logs in with the name and password of its
 * registration and can do one thing: publish to its own topic.
 *
 * The broker's acknowledgement is the commit's: aedes asks whether a publish is authorized before it acknowledges,
 * and the answer is given when the message is in the database. During an outage the answer, and with it the
 * acknowledgement, waits, and the reader stays connected; a reader whose message cannot be committed at all is
 * disconnected and keeps it.
 */
export interface EmbeddedBroker {
  port: number;
  /** Takes no more connections and, once the intake is drained, ends those there are. */
  stop(drainIntake: () => Promise<void>): Promise<void>;
}

export interface EmbeddedBrokerOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  intake: Intake;
  registry: Registry;
  onRefused(username: string | null, reason: string): void;
  /** A reader has logged in. */
  onConnected(reader: RegisteredReader, remoteAddress: string): void;
  onDisconnected(reader: RegisteredReader): void;
  /** Of all connections together; tests own it. */
  held?: HeldMessages;
}

/** What is kept of a connection. */
interface ReaderConnection {
  keepalive: ReaderKeepalive;
  gate: ReadGate;
  address: string;
}

/** @throws AppError `unavailable`, naming the setting, if the port cannot be listened on. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { host, port, intake, registry, onRefused, onConnected, onDisconnected } = options;
  const { held = new HeldMessages(MOST_HELD) } = options;
  const readers = new WeakMap<Client, string>();
  const connections = new WeakMap<object, ReaderConnection>();
  const readerOf = (client: Client | null): RegisteredReader | undefined => {
    const username = client === null ? undefined : readers.get(client);
    return username === undefined ? undefined : registry.byUsername(username);
  };
  const broker = await Aedes.createBroker({
    connectTimeout: 10_000,
    maxClientsIdLength: 255,
    preConnect: (client, packet, done) => {
      connections.get(client.conn)?.keepalive.start(packet.keepalive ?? 0);
      packet.keepalive = 0;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      authenticate(registry, username, password).then(
        (reader) => {
          if (reader === null) {
            onRefused(username ?? null, 'wrong user name or password');
            done(badCredentials(), null);
          } else {
            readers.set(client, reader.username);
            // A client takes over the session of its id; no reader may take over another's.
            client.id = `${reader.username}/${client.id}`;
            done(null, true);
            onConnected(reader, connections.get(client.conn)?.address ?? 'gone');
          }
        },
        (error: Error) => done(Object.assign(error, { returnCode: SERVER_UNAVAILABLE }), null),
      );
    },
    authorizePublish: (client, packet, done) => {
      const reader = readerOf(client);
      if (reader === undefined) {
        onRefused(null, 'the reader was deleted');
        done(new Error('not a registered reader'));
        return;
      }
      const { topic, dup, qos, messageId } = packet;
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      // Nothing subscribes here, so nothing is to be retained for a subscriber.
      packet.retain = false;
      const connection = client === null ? undefined : connections.get(client.conn);
      const finish = (error: Error | null) => {
        connection?.keepalive.release();
        held.leave(payload.length);
        done(error);
      };
      connection?.keepalive.hold();
      connection?.gate.shut();
      held.enter(payload.length, () => {
        connection?.gate.open();
        intake
          .receive(
            {
              topic,
              payload,
              isDup: dup,
              sender: `reader ${reader.readerId}`,
              packetId: qos === 0 ? null : (messageId ?? null),
              isStale: false,
            },
            reader,
          )
          .then(() => finish(null), finish);
      });
    },
    authorizeSubscribe: (client, subscription, done) => {
      onRefused(readers.get(client) ?? null, `readers may not subscribe (${subscription.topic})`);
      done(null, null);
    },
  });
  broker.on('clientDisconnect', (client) => {
    const reader = readerOf(client);
    if (reader !== undefined) {
      onDisconnected(reader);
    }
  });
  const sockets = new Set<Socket>();
  const server = createServer({ highWaterMark: READ_AHEAD }, (socket) => {
    sockets.add(socket);
    const keepalive = new ReaderKeepalive({
      answerPing: () => socket.write(PINGRESP),
      cutOff: () => socket.destroy(),
    });
    const gate = new ReadGate(socket);
    connections.set(socket, { keepalive, gate, address: socket.remoteAddress ?? 'gone' });
    socket.once('close', () => {
      sockets.delete(socket);
      keepalive.stop();
    });
    const guard = new PacketGuard(LARGEST_PACKET);
    // The broker reads by itself; this hears of what it has read.
    socket.on('data', (bytes) => {
      keepalive.heard();
      const tooLarge = guard.feed(bytes);
      if (tooLarge !== null) {
        onRefused(null, `a packet of ${tooLarge} bytes is over the limit of ${LARGEST_PACKET}`);
        socket.destroy();
      }
    });
    broker.handle(socket);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    throw listenFault(error, { host, port, setting: 'MQTT_PORT' });
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop: async (drainIntake) => {
      const closed = once(server, 'close');
      server.close();
      await drainIntake();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}

/** The reader that logs in; a name not known yet is looked for once more in the database. */
async function authenticate(
  registry: Registry,
  username: string | undefined,
  password: Readonly<Buffer> | undefined,
): Promise<RegisteredReader | null> {
  if (username === undefined || password === undefined) {
    return null;
  }
  if (registry.byUsername(username) === undefined) {
    await registry.refresh();
  }
  const reader = registry.byUsername(username);
  const sha256 = createHash('sha256').update(password).digest();
  return reader !== undefined && timingSafeEqual(sha256, reader.passwordSha256) ? reader : null;
}

/**
 * In bytes. Messages over the format's limit of 1 MiB are rejected and explained up to this size; beyond it the
 * connection is cut before they are gathered.
 */
const LARGEST_PACKET = 16 * 1024 * 1024;

const MOST_CONNECTIONS = 10_000;

/**
 * Bytes of a connection that are read before they can be taken, and that are taken at once: in an outage each reader with
 * more to send holds twice that. With 64 KiB twenty readers caught up after one at 1.8 times the load, with this at
 * 2.5 times: what is taken must last until all of it is committed (`test/bench/INGEST.md`).
 */
const READ_AHEAD = 128 * 1024;

/** MQTT 3.1.1 section 3.13. Readers get nothing but whole answers, each written at once, so it comes between two. */
const PINGRESP = Buffer.from([0xd0, 0]);

/** MQTT 3.1.1 section 3.2.2.3. */
const SERVER_UNAVAILABLE = 3;
const BAD_USER_NAME_OR_PASSWORD = 4;

function badCredentials(): AuthenticateError {
  return Object.assign(new Error('wrong user name or password'), { returnCode: BAD_USER_NAME_OR_PASSWORD });
}
