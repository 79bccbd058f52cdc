import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type Client } from 'aedes';
import { messageOf } from '../../../base/errors.ts';
import { levelsOf } from '../../../domain/administration/readers/topic.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { BoundedSockets } from '../../../platform/runtime/bounded-sockets.ts';
import { socketLimit } from '../../../platform/runtime/descriptor-limit.ts';
import { boundHandshakes } from '../../../platform/runtime/handshakes.ts';
import { listenFault } from '../../../platform/runtime/listen-fault.ts';
import { MOST_NOT_ACCEPTED } from '../../../platform/runtime/listen-on.ts';
import type { Intake } from '../intake/intake.ts';
import { asRegistered, LEAVING, whyUnregistered } from '../registry/as-registered.ts';
import type { Registry } from '../registry/registry.ts';
import { certifiedNameOf, faultOfCertificate, type ReadersTls } from './client-certificates.ts';
import { HeldMessages, MOST_HELD } from './held-messages.ts';
import { setReadAhead, UNAUTHENTICATED_READ_AHEAD } from './read-ahead.ts';
import { ReaderConnection } from './reader-connection.ts';
import type { ReaderConnections } from './reader-connections.ts';
import { type QuotaLimits, ReaderQuotas } from './reader-quotas.ts';
import { ReaderSessions } from './reader-sessions.ts';
import { badCredentials, endUnanswered } from './refuse-sign-in.ts';
import { CERTIFIED, signInAt } from './sign-in.ts';
import { TakenPublishes } from './taken-publishes.ts';
import { UnauthenticatedSockets } from './unauthenticated-sockets.ts';

/**
 * An MQTT 3.1.1 broker for readers. A reader signs in with the name and password of its registration and can
 * only publish to its own topic. Its connections end when it is deleted or gets another password.
 *
 * Acknowledged means committed: aedes asks whether a publish is authorized before it acknowledges, and gets
 * the answer when the message is in the database. During an outage the acknowledgement waits and the reader
 * stays connected; a reader whose message cannot be committed at all is disconnected and keeps it.
 */
export interface EmbeddedBroker {
  port: number;
  figures(): EmbeddedBrokerFigures;
  /** Refuses new connections and, once the intake is drained, closes the others. */
  stop(drainIntake: () => Promise<void>): Promise<void>;
}

/** Why a publish fails, logged where it was found. */
class Explained extends Error {}

export interface EmbeddedBrokerFigures {
  signedIn: number;
  unauthenticated: number;
  /** Counted since the start, as are the next three. */
  evicted: number;
  takenOver: number;
  received: number;
  committed: number;
  heldMessages: number;
  heldBytes: number;
  /** Publishes at QoS 2 that readers have not released. */
  unreleased: number;
}

export interface EmbeddedBrokerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Null for plain MQTT. */
  tls?: ReadersTls | null;
  intake: Intake;
  registry: Registry;
  onRefused(username: string | null, reason: string): void;
  onSignInRefused?(username: string, address: string): void;
  /** Refused, although the password is right. */
  onMqtt5?(reader: RegisteredReader, address: string): void;
  onTakenOver?(reader: RegisteredReader, addresses: TakeOver): void;
  onThrottled(reader: RegisteredReader): void;
  onConnected(reader: RegisteredReader, remoteAddress: string): void;
  onDisconnected(reader: RegisteredReader): void;
  connections?: Pick<ReaderConnections, 'opened' | 'closed'>;
  quota: QuotaLimits;
  consumers?: Consumers | undefined;
  held?: HeldMessages;
  mostSockets?: { signedIn: number; unauthenticated: number };
}

/** Where the connection that ended came from, and the one of the same login and client id that ended it. */
export interface TakeOver {
  earlier: string;
  later: string;
}

/** Those who are no readers, at the same port. */
export interface Consumers {
  isTheirs(connect: Buffer): boolean;
  /** @param onSignedIn to be called before anything is answered. */
  take(socket: Socket, connection: ReaderConnection, onSignedIn: (username: string) => void): void;
  close(): Promise<void>;
}

/** @throws AppError `unavailable`, naming the setting, if it cannot listen on the port. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { host, port, intake, registry, onRefused, onThrottled, onConnected, onDisconnected, consumers } =
    options;
  const { tls = null, held = new HeldMessages(MOST_HELD), mostSockets = socketLimits() } = options;
  const signIn = signInAt(registry);
  const publishes = new TakenPublishes({ intake, held, onThrottled });
  const quotas = new ReaderQuotas(options.quota);
  const unauthenticated = new UnauthenticatedSockets({ most: mostSockets.unauthenticated });
  const signedIn = new BoundedSockets(mostSockets.signedIn);
  const readers = new WeakMap<Client, RegisteredReader>();
  const connections = new WeakMap<object, ReaderConnection>();
  const readerOf = (client: Client | null): RegisteredReader | undefined => {
    const signedInAs = client === null ? undefined : readers.get(client);
    return signedInAs === undefined ? undefined : asRegistered(registry, signedInAs);
  };
  const open = new Map<ReaderConnection, RegisteredReader>();
  const noteConnection = (reader: RegisteredReader, socket: Socket, connection: ReaderConnection) => {
    options.connections?.opened(reader);
    open.set(connection, reader);
    const closed = () => {
      options.connections?.closed(reader);
      open.delete(connection);
    };
    if (socket.destroyed) {
      closed();
    } else {
      socket.once('close', closed);
    }
  };
  const stopFollowing = registry.onChange(() => {
    for (const [connection, reader] of open) {
      if (asRegistered(registry, reader) === undefined) {
        onRefused(reader.username, whyUnregistered(registry, reader.username));
        connection.cut();
      }
    }
  });
  const sessions = new ReaderSessions();
  /** By client id, where the connection that has it comes from. */
  const holders = new Map<string, string>();
  let takenOver = 0;
  const identify = (client: Client, username?: string, password?: Readonly<Buffer>) => {
    const certified = certifiedNameOf(client.conn as Socket, username);
    const proof = tls?.areRequired === true ? undefined : password;
    return signIn(certified ?? username, certified === null ? proof : CERTIFIED);
  };
  /** Whether it is one of the readers matters to people only: the broker refuses it in either case. */
  const noteMqtt5 = async (client: Client, username?: string, password?: Readonly<Buffer>) => {
    const reader = await identify(client, username, password);
    const address = connections.get(client.conn)?.address ?? '';
    if (reader === null) {
      onRefused(username ?? null, 'it speaks MQTT 5, and user name or password is wrong');
      options.onSignInRefused?.(username ?? '', address);
    } else if (reader !== 'leaving') {
      onRefused(reader.username, 'it speaks MQTT 5; set the reader to MQTT 3.1.1');
      options.onMqtt5?.(reader, address);
    }
  };
  const broker = await Aedes.createBroker({
    persistence: sessions,
    connectTimeout: 10_000,
    maxClientsIdLength: 255,
    maxTopicLevels: MOST_LEVELS,
    preConnect: (client, packet, done) => {
      connections.get(client.conn)?.keepalive.start(packet.keepalive ?? 0);
      packet.keepalive = 0;
      if ((packet.protocolVersion ?? 0) > NEWEST_VERSION) {
        const answer = () => done(null, true);
        noteMqtt5(client, packet.username, packet.password).then(answer, answer);
        return;
      }
      const will = packet.will?.payload.length ?? 0;
      if (will > LARGEST_WILL) {
        onRefused(packet.username ?? null, `a will of ${will} bytes is over the limit of ${LARGEST_WILL}`);
        endUnanswered(client);
        return;
      }
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      identify(client, username, password).then(
        (reader) => {
          const connection = connections.get(client.conn);
          if (reader === 'leaving') {
            onRefused(certifiedNameOf(client.conn as Socket, username) ?? username ?? null, LEAVING);
            endUnanswered(client);
          } else if (reader === null || connection === undefined) {
            const fault = faultOfCertificate(client.conn as Socket, username);
            onRefused(username ?? null, fault ?? 'wrong user name or password');
            options.onSignInRefused?.(username ?? '', connection?.address ?? '');
            done(badCredentials(), null);
          } else {
            readers.set(client, reader);
            // A client takes over the session of its id; prefixed, so that no reader takes over another's.
            client.id = `${reader.username}/${client.id}`;
            const earlier = holders.get(client.id);
            if (earlier !== undefined) {
              takenOver += 1;
              options.onTakenOver?.(reader, { earlier, later: connection.address });
            }
            unauthenticated.leave(client.conn as Socket);
            signedIn.add(client.conn as Socket, reader.username);
            connection.signIn(reader.username, quotas.connect(reader.username));
            noteConnection(reader, client.conn as Socket, connection);
            done(null, true);
            onConnected(reader, connection.address);
            if (levelsOf(reader.topic) > MOST_LEVELS) {
              onRefused(reader.username, TOO_MANY_LEVELS);
            }
          }
        },
        // The database is away, which is logged elsewhere.
        () => endUnanswered(client),
      );
    },
    authorizePublish: (client, packet, done) => {
      const reader = readerOf(client);
      if (reader === undefined) {
        const signedInAs = client === null ? undefined : readers.get(client);
        const username = signedInAs?.username ?? null;
        onRefused(username, whyUnregistered(registry, username));
        done(new Explained('not a registered reader'));
        return;
      }
      publishes.take(packet, reader, client === null ? undefined : connections.get(client.conn), (error) =>
        done(error && new Explained(error.message, { cause: error })),
      );
    },
    authorizeSubscribe: (client, subscription, done) => {
      onRefused(readers.get(client)?.username ?? null, `readers may not subscribe (${subscription.topic})`);
      done(null, null);
    },
  });
  broker.on('clientError', (client, error) => {
    const reader = readerOf(client);
    // Faults of the network have a code; those of what the reader sent are the broker's own.
    if (reader !== undefined && !(error instanceof Explained) && !('code' in error)) {
      onRefused(reader.username, `the broker ended its connection: ${messageOf(error)}`);
    }
  });
  broker.on('client', (client) => {
    holders.set(client.id, connections.get(client.conn)?.address ?? '');
  });
  broker.on('clientDisconnect', (client) => {
    holders.delete(client.id);
    const reader = readerOf(client);
    if (reader !== undefined) {
      onDisconnected(reader);
    }
  });
  const sockets = new Set<Socket>();
  const mostHandshakes = mostSockets.unauthenticated;
  const { server, endHandshakes } = serverForReaders(tls, { mostHandshakes, onRefused }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    unauthenticated.enter(socket, (connect) => {
      const connection = new ReaderConnection(socket, quotas, onRefused);
      if (consumers?.isTheirs(connect) === true) {
        consumers.take(socket, connection, (username) => {
          unauthenticated.leave(socket);
          signedIn.add(socket, username);
          connection.signIn(username, quotas.connect(username));
        });
      } else {
        connections.set(socket, connection);
        broker.handle(socket);
      }
    });
  });
  server.listen(port, host, MOST_NOT_ACCEPTED);
  try {
    await once(server, 'listening');
  } catch (error) {
    stopFollowing();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    throw listenFault(error, { host, port, setting: 'MQTT_PORT' });
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    figures: () => ({
      received: publishes.received,
      committed: publishes.committed,
      signedIn: signedIn.size,
      unauthenticated: unauthenticated.size,
      takenOver,
      evicted: signedIn.evicted + unauthenticated.evicted,
      heldMessages: held.messages,
      heldBytes: held.bytes,
      unreleased: sessions.unreleased,
    }),
    stop: async (drainIntake) => {
      stopFollowing();
      const closed = once(server, 'close');
      server.close();
      await drainIntake();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      await consumers?.close();
      endHandshakes();
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}

function socketLimits(): { signedIn: number; unauthenticated: number } {
  return { signedIn: socketLimit(10_000, 0.35), unauthenticated: socketLimit(2_000, 0.1) };
}

/** Of a topic that is published to. The broker's index takes no more; new registrations have fewer. */
const MOST_LEVELS = 100;

const TOO_MANY_LEVELS = `its topic has more than ${MOST_LEVELS} levels, which this broker does not take; register a shorter one`;

/** Bytes of a will, which is kept as long as its connection. */
const LARGEST_WILL = 8_192;

/** MQTT 3.1.1. The broker refuses newer versions by itself. */
const NEWEST_VERSION = 4;

interface ReadersServerOptions {
  mostHandshakes: number;
  onRefused(username: string | null, reason: string): void;
}

/** The server of the embedded broker; with TLS it shows sockets whose handshake is over, and whose certificate will do. */
function serverForReaders(
  tls: ReadersTls | null,
  { mostHandshakes, onRefused }: ReadersServerOptions,
  onSocket: (socket: Socket) => void,
): { server: Server; endHandshakes: () => void } {
  if (tls === null) {
    return { server: createServer(SOCKET_OPTIONS, onSocket), endHandshakes: () => {} };
  }
  // A certificate that will not do is refused here, with its reason; Node.js would only hang up.
  const server = createTlsServer(
    { ...SOCKET_OPTIONS, ...tls.tls.options(), requestCert: tls.areAsked, rejectUnauthorized: false },
    (socket) => {
      if (tls.areRequired && !socket.authorized) {
        const reason = String(socket.authorizationError ?? 'it showed none');
        onRefused(null, `no valid certificate (${reason})`);
        socket.destroy();
        return;
      }
      setReadAhead(socket, UNAUTHENTICATED_READ_AHEAD);
      onSocket(socket);
    },
  );
  tls.tls.follow(server);
  return { server, endHandshakes: boundHandshakes(server, mostHandshakes) };
}

/** TCP keepalive finds dead connections of readers that want no MQTT keepalive. */
const SOCKET_OPTIONS = {
  highWaterMark: UNAUTHENTICATED_READ_AHEAD,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};
