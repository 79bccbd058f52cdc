import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AuthenticateError, type Client, type ConnectPacket, type PublishPacket } from 'aedes';
import { messageOf } from '../../../base/errors.ts';
import { levelsOf } from '../../../domain/administration/readers/topic.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { BoundedSockets } from '../../../platform/runtime/bounded-sockets.ts';
import { socketLimit } from '../../../platform/runtime/descriptor-limit.ts';
import { boundHandshakes } from '../../../platform/runtime/handshakes.ts';
import { listenFault } from '../../../platform/runtime/listen-fault.ts';
import { MOST_NOT_ACCEPTED } from '../../../platform/runtime/listen-on.ts';
import type { Intake } from '../intake/intake.ts';
import { asRegistered, LEAVING, type Registry, whyUnregistered } from '../registry/registry.ts';
import { certifiedNameOf, faultOfCertificate, type ReadersTls } from './client-certificates.ts';
import { HeldMessages, MOST_HELD } from './held-messages.ts';
import { setReadAhead, UNAUTHENTICATED_READ_AHEAD } from './read-ahead.ts';
import { ReaderConnection, TakenPublishes } from './reader-connection.ts';
import type { ReaderConnections } from './reader-connections.ts';
import { type QuotaLimits, ReaderQuotas } from './reader-quotas.ts';
import { ReaderSessions } from './reader-sessions.ts';
import { badCredentials, CERTIFIED, endUnanswered, type SignIn, signInAt } from './sign-in.ts';
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

/** The address of the ended connection, and of the connection with the same login and client id that ended it. */
export interface TakeOver {
  earlier: string;
  later: string;
}

export interface Login {
  username: string;
  orgId: number;
}

/** Clients at the same port that are not readers. */
export interface Consumers {
  isTheirs(connect: Buffer): boolean;
  /** @param onSignedIn to be called before anything is answered. */
  take(socket: Socket, connection: ReaderConnection, onSignedIn: (login: Login) => void): void;
  close(): Promise<void>;
}

/** @throws AppError `unavailable`, naming the setting, if it cannot listen on the port. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const broker = new ReadersBroker(options);
  await broker.listen();
  return broker;
}

class ReadersBroker implements EmbeddedBroker {
  readonly #options: EmbeddedBrokerOptions;
  readonly #registry: Registry;
  readonly #signIn: SignIn;
  readonly #held: HeldMessages;
  readonly #publishes: TakenPublishes;
  readonly #quotas: ReaderQuotas;
  readonly #sessions = new ReaderSessions();
  readonly #sockets = new Set<Socket>();
  readonly #unauthenticated: UnauthenticatedSockets;
  readonly #signedIn: BoundedSockets;
  readonly #readers = new WeakMap<Client, RegisteredReader>();
  readonly #connections = new WeakMap<object, ReaderConnection>();
  readonly #open = new Map<ReaderConnection, RegisteredReader>();
  /** By client id, the address of the connection that holds it. */
  readonly #holders = new Map<string, string>();
  readonly #server: Server;
  readonly #endHandshakes: () => void;
  readonly #stopFollowing: () => void;
  #broker: Aedes | null = null;
  #takenOver = 0;

  constructor(options: EmbeddedBrokerOptions) {
    const { intake, registry, onThrottled, onRefused, tls = null, mostSockets = socketLimits() } = options;
    this.#options = options;
    this.#registry = registry;
    this.#signIn = signInAt(registry);
    this.#held = options.held ?? new HeldMessages(MOST_HELD);
    this.#publishes = new TakenPublishes({ intake, held: this.#held, onThrottled });
    this.#quotas = new ReaderQuotas(options.quota);
    this.#unauthenticated = new UnauthenticatedSockets({ most: mostSockets.unauthenticated });
    this.#signedIn = new BoundedSockets(mostSockets.signedIn);
    this.#stopFollowing = registry.onChange(() => this.#cutUnregistered());
    const { server, endHandshakes } = serverForReaders(
      tls,
      { mostHandshakes: mostSockets.unauthenticated, onRefused },
      (socket) => this.#enter(socket),
    );
    this.#server = server;
    this.#endHandshakes = endHandshakes;
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    this.#broker = await this.#createBroker();
    this.#server.listen(port, host, MOST_NOT_ACCEPTED);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      this.#stopFollowing();
      await this.#closeBroker();
      throw listenFault(error, { host, port, setting: 'MQTT_PORT' });
    }
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  figures(): EmbeddedBrokerFigures {
    return {
      received: this.#publishes.received,
      committed: this.#publishes.committed,
      signedIn: this.#signedIn.size,
      unauthenticated: this.#unauthenticated.size,
      takenOver: this.#takenOver,
      evicted: this.#signedIn.evicted + this.#unauthenticated.evicted,
      heldMessages: this.#held.messages,
      heldBytes: this.#held.bytes,
      unreleased: this.#sessions.unreleased,
    };
  }

  async stop(drainIntake: () => Promise<void>): Promise<void> {
    this.#stopFollowing();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await drainIntake();
    await this.#closeBroker();
    await this.#options.consumers?.close();
    this.#endHandshakes();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  #closeBroker(): Promise<void> {
    return new Promise<void>((resolve) => this.#broker?.close(() => resolve()));
  }

  async #createBroker(): Promise<Aedes> {
    const broker = await Aedes.createBroker({
      persistence: this.#sessions,
      connectTimeout: 10_000,
      maxClientsIdLength: 255,
      maxTopicLevels: MOST_LEVELS,
      preConnect: (client, packet, done) => this.#preConnect(client, packet, done),
      authenticate: (client, username, password, done) => {
        this.#identify(client, username, password).then(
          (reader) => this.#admit(client, username, reader, done),
          // The database is away, which is logged elsewhere.
          () => endUnanswered(client),
        );
      },
      authorizePublish: (client, packet, done) => this.#takePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => {
        const username = this.#readers.get(client)?.username ?? null;
        this.#options.onRefused(username, `readers may not subscribe (${subscription.topic})`);
        done(null, null);
      },
    });
    broker.on('clientError', (client, error) => this.#noteFault(client, error));
    broker.on('client', (client) => {
      this.#holders.set(client.id, this.#connections.get(client.conn)?.address ?? '');
    });
    broker.on('clientDisconnect', (client) => {
      this.#holders.delete(client.id);
      const reader = this.#readerOf(client);
      if (reader !== undefined) {
        this.#options.onDisconnected(reader);
      }
    });
    return broker;
  }

  #enter(socket: Socket): void {
    const { consumers, onRefused } = this.#options;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#unauthenticated.enter(socket, (connect) => {
      const connection = new ReaderConnection(socket, this.#quotas, onRefused);
      if (consumers?.isTheirs(connect) === true) {
        consumers.take(socket, connection, (login) => this.#noteSignIn(socket, connection, login));
      } else {
        this.#connections.set(socket, connection);
        this.#broker?.handle(socket);
      }
    });
  }

  #noteSignIn(socket: Socket, connection: ReaderConnection, { username, orgId }: Login): void {
    this.#unauthenticated.leave(socket);
    this.#signedIn.add(socket, username, `organization ${orgId}`);
    connection.signIn(username, this.#quotas.connect(username, orgId));
  }

  #preConnect(client: Client, packet: ConnectPacket, done: (error: Error | null, ok: boolean) => void): void {
    this.#connections.get(client.conn)?.keepalive.start(packet.keepalive ?? 0);
    packet.keepalive = 0;
    if ((packet.protocolVersion ?? 0) > NEWEST_VERSION) {
      const answer = () => done(null, true);
      this.#noteMqtt5(client, packet.username, packet.password).then(answer, answer);
      return;
    }
    const will = packet.will?.payload.length ?? 0;
    if (will > LARGEST_WILL) {
      this.#options.onRefused(
        packet.username ?? null,
        `a will of ${will} bytes is over the limit of ${LARGEST_WILL}`,
      );
      endUnanswered(client);
      return;
    }
    done(null, true);
  }

  #identify(client: Client, username?: string, password?: Readonly<Buffer>): ReturnType<SignIn> {
    const certified = certifiedNameOf(client.conn as Socket, username);
    const proof = this.#options.tls?.areRequired === true ? undefined : password;
    return this.#signIn(certified ?? username, certified === null ? proof : CERTIFIED);
  }

  /** Whether it is one of the readers matters to people only: the broker refuses it in either case. */
  async #noteMqtt5(client: Client, username?: string, password?: Readonly<Buffer>): Promise<void> {
    const { onRefused, onSignInRefused, onMqtt5 } = this.#options;
    const reader = await this.#identify(client, username, password);
    const address = this.#connections.get(client.conn)?.address ?? '';
    if (reader === null) {
      onRefused(username ?? null, 'it speaks MQTT 5, and user name or password is wrong');
      onSignInRefused?.(username ?? '', address);
    } else if (reader !== 'leaving') {
      onRefused(reader.username, 'it speaks MQTT 5; set the reader to MQTT 3.1.1');
      onMqtt5?.(reader, address);
    }
  }

  #admit(
    client: Client,
    username: string | undefined,
    reader: Awaited<ReturnType<SignIn>>,
    done: (error: AuthenticateError | null, ok: boolean | null) => void,
  ): void {
    const { onRefused, onSignInRefused, onTakenOver, onConnected } = this.#options;
    const socket = client.conn as Socket;
    const connection = this.#connections.get(socket);
    if (reader === 'leaving') {
      onRefused(certifiedNameOf(socket, username) ?? username ?? null, LEAVING);
      endUnanswered(client);
      return;
    }
    if (reader === null || connection === undefined) {
      onRefused(username ?? null, faultOfCertificate(socket, username) ?? 'wrong user name or password');
      onSignInRefused?.(username ?? '', connection?.address ?? '');
      done(badCredentials(), null);
      return;
    }
    this.#readers.set(client, reader);
    // A client takes over the session of its id; prefixed, so that no reader takes over another's.
    client.id = `${reader.username}/${client.id}`;
    const earlier = this.#holders.get(client.id);
    if (earlier !== undefined) {
      this.#takenOver += 1;
      onTakenOver?.(reader, { earlier, later: connection.address });
    }
    this.#noteSignIn(socket, connection, reader);
    this.#noteConnection(reader, socket, connection);
    done(null, true);
    onConnected(reader, connection.address);
    if (levelsOf(reader.topic) > MOST_LEVELS) {
      onRefused(reader.username, TOO_MANY_LEVELS);
    }
  }

  #noteConnection(reader: RegisteredReader, socket: Socket, connection: ReaderConnection): void {
    const { connections } = this.#options;
    connections?.opened(reader);
    this.#open.set(connection, reader);
    const closed = () => {
      connections?.closed(reader);
      this.#open.delete(connection);
    };
    if (socket.destroyed) {
      closed();
    } else {
      socket.once('close', closed);
    }
  }

  #cutUnregistered(): void {
    for (const [connection, reader] of this.#open) {
      if (asRegistered(this.#registry, reader) === undefined) {
        this.#options.onRefused(reader.username, whyUnregistered(this.#registry, reader.username));
        connection.cut();
      }
    }
  }

  #takePublish(client: Client | null, packet: PublishPacket, done: (error?: Error | null) => void): void {
    const reader = this.#readerOf(client);
    if (reader === undefined) {
      const username = (client === null ? undefined : this.#readers.get(client))?.username ?? null;
      this.#options.onRefused(username, whyUnregistered(this.#registry, username));
      done(new Explained('not a registered reader'));
      return;
    }
    const connection = client === null ? undefined : this.#connections.get(client.conn);
    this.#publishes.take(packet, reader, connection, (error) =>
      done(error && new Explained(error.message, { cause: error })),
    );
  }

  #readerOf(client: Client | null): RegisteredReader | undefined {
    const signedInAs = client === null ? undefined : this.#readers.get(client);
    return signedInAs === undefined ? undefined : asRegistered(this.#registry, signedInAs);
  }

  #noteFault(client: Client, error: Error): void {
    const reader = this.#readerOf(client);
    // Faults of the network have a code; those of what the reader sent are the broker's own.
    if (reader !== undefined && !(error instanceof Explained) && !('code' in error)) {
      this.#options.onRefused(reader.username, `the broker ended its connection: ${messageOf(error)}`);
    }
  }
}

function socketLimits(): { signedIn: number; unauthenticated: number } {
  return { signedIn: socketLimit(10_000, 0.35), unauthenticated: socketLimit(2_000, 0.1) };
}

/** Levels of a topic that is published to. The broker's index takes no more; new registrations have fewer. */
const MOST_LEVELS = 100;

const TOO_MANY_LEVELS = `its topic has more than ${MOST_LEVELS} levels, which this broker does not take; register a shorter one`;

/** Bytes of a will, which is kept as long as its connection. */
const LARGEST_WILL = 8_192;

/** MQTT 3.1.1. The broker itself refuses newer versions. */
const NEWEST_VERSION = 4;

interface ReadersServerOptions {
  mostHandshakes: number;
  onRefused(username: string | null, reason: string): void;
}

/**
 * The server of the embedded broker; with TLS it shows sockets after the handshake, with an acceptable certificate.
 */
function serverForReaders(
  tls: ReadersTls | null,
  { mostHandshakes, onRefused }: ReadersServerOptions,
  onSocket: (socket: Socket) => void,
): { server: Server; endHandshakes: () => void } {
  if (tls === null) {
    return { server: createServer(SOCKET_OPTIONS, onSocket), endHandshakes: () => {} };
  }
  // An unacceptable certificate is refused here, with the reason; Node.js would only hang up.
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
