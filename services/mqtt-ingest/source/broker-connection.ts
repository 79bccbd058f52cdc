import { Socket } from 'node:net';
import type { IClientOptions, MqttClient } from 'mqtt';
import mqtt from 'mqtt';
import { writeToStream } from 'mqtt-packet';
import type { IncomingMessage } from '../../../domain/messages/message.ts';
import { Acknowledgements } from './acknowledgement-order.ts';
import type { BrokerAddress } from './broker-address.ts';
import type { ProtocolVersion } from './protocol-version.ts';

export interface ConnectionOptions {
  address: BrokerAddress;
  clientId: string;
  protocolVersion: ProtocolVersion;
  /** Seconds. */
  keepalive: number;
  /** Session expiry in seconds; MQTT 3.1.1 has none. */
  sessionExpiry: number;
  /** Unacknowledged messages the broker may send; MQTT 5 only. */
  receiveMaximum: number;
  /** Last will, retained on `topic`: published by the broker when the connection is lost. Null for none. */
  will: { topic: string; payload: string } | null;
  signal: AbortSignal;
  /**
   * Takes a message; nothing more is read from the connection until `proceed` is called (backpressure).
   *
   * @returns whether `proceed` was called already.
   */
  onDelivery(delivery: Delivery): boolean;
}

export interface Delivery {
  message: IncomingMessage;
  proceed(): void;
  /** Call after the commit. If the connection has ended nothing is sent, and the message comes again. */
  acknowledge(): void;
  /** Call if it cannot be committed: ends the connection, so that it and all later ones come again. */
  fail(reason: Error): void;
}

/** One connection to a broker, from CONNACK to its end. It does not reconnect. */
export interface BrokerConnection {
  /** Name and version of the protocol. */
  protocol: string;
  /**
   * `session present`: the broker still had the session of this client id, with subscriptions and unacknowledged
   * messages.
   */
  isResumed: boolean;
  /** Reported by the broker; null under MQTT 3.1.1. */
  hasSharedSubscriptions: boolean | null;
  ended: Promise<Error>;
  /** Milliseconds since the broker was last heard. */
  quietFor(): number;
  /** Reply codes per filter: the granted QoS, or a refusal from 128 on. */
  subscribe(filters: readonly string[]): Promise<number[]>;
  /** Reply codes per filter; none under MQTT 3.1.1. */
  unsubscribe(filters: readonly string[]): Promise<number[]>;
  /** QoS 0. */
  publishRetained(topic: string, payload: string): void;
  /** Sends due acknowledgements and DISCONNECT; cuts the connection if that takes too long. */
  close(): Promise<void>;
}

export class VersionRefused extends Error {}

/** The broker closed the connection without an answer, as some do for an unknown protocol version. */
export class NoAnswer extends Error {}

/**
 * Connects with a persistent session.
 *
 * The client library acknowledges a message when `handleMessage` calls back, and takes no other until then.
 * If called back with an error it acknowledges nothing and goes on, so this does that; the acknowledgement is
 * written to the connection's stream later, bypassing the library, which would queue it for the next
 * connection. None of this is documented: the version is pinned, and a test holds the behaviour.
 *
 * @throws VersionRefused, NoAnswer, or any other error that prevented the connection.
 */
export async function openConnection(options: ConnectionOptions): Promise<BrokerConnection> {
  const client = mqtt.connect(clientOptions(options));
  const { stream } = client;
  if (stream instanceof Socket) {
    stream.setNoDelay(true);
  }
  const ended = Promise.withResolvers<Error>();
  let reason: Error | null = null;
  const fault = (error: Error) => {
    reason ??= error;
  };
  client.on('error', fault);
  client.on('disconnect', ({ reasonCode }) => fault(new DisconnectedByBroker(reasonCode ?? 0)));
  client.on('close', () => ended.resolve(reason ?? new Error('the broker closed the connection')));

  const acknowledgements = new Acknowledgements((messageIds) => {
    // This client never has another stream: late packets are dropped, not sent on the next connection.
    if (stream.writable) {
      stream.write(pubacks(messageIds));
    }
  });
  const keepalive = new BrokerKeepalive(client, () => {
    fault(new Error('the broker is silent'));
    stream.destroy();
  });
  deliver(client, options, {
    ...{ keepalive, acknowledgements },
    fail: (error) => {
      fault(error);
      stream.destroy();
    },
  });
  const giveUp = () => stream.destroy();
  options.signal.addEventListener('abort', giveUp);

  const connack = await new Promise<mqtt.IConnackPacket>((resolve, reject) => {
    client.once('connect', resolve);
    ended.promise.then((error) => reject(explained(error, reason === null)));
  });
  options.signal.removeEventListener('abort', giveUp);
  return {
    protocol: options.protocolVersion === 5 ? 'MQTT 5' : 'MQTT 3.1.1',
    isResumed: connack.sessionPresent,
    hasSharedSubscriptions:
      options.protocolVersion === 5 ? connack.properties?.sharedSubscriptionAvailable !== false : null,
    ended: ended.promise,
    quietFor: () => keepalive.quietFor(),
    subscribe: (filters) => subscribe(client, filters),
    unsubscribe: (filters) => unsubscribe(client, filters),
    publishRetained: (topic, payload) => void client.publish(topic, payload, { qos: 0, retain: true }),
    close: async () => {
      acknowledgements.flush(0);
      await sayGoodbye(client, ended.promise);
    },
  };
}

async function sayGoodbye(client: mqtt.MqttClient, ended: Promise<unknown>): Promise<void> {
  const { stream } = client;
  // Not by the library, which would wait for all outstanding answers.
  writeToStream({ cmd: 'disconnect', reasonCode: 0 }, stream, client.options);
  stream.end();
  const timer = setTimeout(() => stream.destroy(), GOODBYE_MS);
  await ended;
  clearTimeout(timer);
  client.end(true);
}

/** Hands over each message, and takes the next one when it may proceed. */
function deliver(
  client: mqtt.MqttClient,
  { clientId, onDelivery }: Pick<ConnectionOptions, 'clientId' | 'onDelivery'>,
  {
    keepalive,
    acknowledgements,
    fail,
  }: { keepalive: BrokerKeepalive; acknowledgements: Acknowledgements; fail(error: Error): void },
): void {
  const sender = `session ${clientId}`;
  client.handleMessage = (packet, next) => {
    const { topic, payload, qos, dup, retain, messageId } = packet;
    const isIn = onDelivery({
      message: {
        topic,
        payload: bytesOf(payload),
        isDup: dup,
        sender,
        packetId: qos === 0 ? null : (messageId ?? null),
        isStale: retain,
      },
      proceed: () => {
        keepalive.release();
        next(qos === 1 ? ACKNOWLEDGED_LATER : undefined);
      },
      acknowledge: qos === 1 && messageId !== undefined ? acknowledgements.owe(messageId) : () => {},
      fail,
    });
    if (!isIn) {
      keepalive.hold();
    }
  };
}

/** The broker's reason for ending the connection (MQTT 5 section 3.14.2.1). */
export class DisconnectedByBroker extends Error {
  readonly reasonCode: number;

  constructor(reasonCode: number) {
    super(`the broker ended the connection (reason ${reasonCode})`);
    this.reasonCode = reasonCode;
  }
}

export const SESSION_TAKEN_OVER = 142;

const ACKNOWLEDGED_LATER = new Error('acknowledged later');

const GOODBYE_MS = 2_000;

const CONNACK_MS = 10_000;

/** Bytes; the same as for readers at the embedded broker. */
const LARGEST_PACKET = 16 * 1024 * 1024;

function clientOptions(options: ConnectionOptions): IClientOptions {
  const { address, clientId, protocolVersion, keepalive, will } = options;
  return {
    ...address,
    clientId,
    protocolVersion,
    keepalive,
    clean: false,
    ...(will === null
      ? {}
      : { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
    connectTimeout: CONNACK_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    ...(protocolVersion === 5
      ? {
          properties: {
            sessionExpiryInterval: options.sessionExpiry,
            receiveMaximum: options.receiveMaximum,
            maximumPacketSize: LARGEST_PACKET,
          },
        }
      : {}),
  };
}

async function subscribe(client: MqttClient, filters: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    // Retained messages are stale (rh: none are sent); a live publish never comes with the flag (rap: cleared).
    const options = client.options.protocolVersion === 5 ? { qos: 1, rap: false, rh: 2 } : { qos: 1 };
    client.subscribe([...filters], options as mqtt.IClientSubscribeOptions, (error, _, suback) => {
      // The library reports the refusal of one filter as an error of all.
      if (suback === undefined || suback.cmd !== 'suback') {
        reject(error ?? new Error('no answer to a subscription'));
      } else {
        resolve(suback.granted.map(Number));
      }
    });
  });
}

async function unsubscribe(client: MqttClient, filters: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    client.unsubscribe([...filters], (error, packet) => {
      if (error) {
        reject(error);
      } else {
        const answers = packet?.cmd === 'unsuback' && 'granted' in packet ? packet.granted : [];
        resolve(Array.isArray(answers) ? answers.map(Number) : []);
      }
    });
  });
}

function explained(error: Error, isWordless: boolean): Error {
  if (isWordless) {
    return new NoAnswer('the broker closed the connection without an answer');
  }
  const code = 'code' in error ? error.code : null;
  return code === REFUSED_BY_3 || code === REFUSED_BY_5 ? new VersionRefused(error.message) : error;
}

/** Unacceptable protocol version: MQTT 3.1.1 section 3.2.2.3, MQTT 5 section 3.2.2.2. */
const REFUSED_BY_3 = 1;
const REFUSED_BY_5 = 132;

function bytesOf(payload: string | Buffer): Buffer {
  return Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
}

/**
 * Serialized PUBACKs. The client library writes each in several buffers: at one read a message Node.js took 45 us for
 * each, and takes 39 with this.
 *
 * Without a reason code, which in MQTT 5 means success (section 3.4.2.1), they are the same in both versions.
 */
export function pubacks(messageIds: readonly number[]): Buffer {
  const packets = Buffer.allocUnsafe(messageIds.length * PACKET);
  messageIds.forEach((messageId, index) => {
    packets.writeUInt16BE(PUBACK, index * PACKET);
    packets.writeUInt16BE(messageId, index * PACKET + 2);
  });
  return packets;
}

/** Bytes. */
const PACKET = 4;

/** Packet type, and a remaining length of two. */
const PUBACK = 0x4002;

/**
 * Keepalive of a broker connection, instead of the client library's.
 *
 * The library sends one ping per keepalive and gives up when the answer takes more than half of that. But
 * answers come in order, behind messages on their way, and acknowledgements bypass the library: while a
 * backlog drained at 27,000 reads/s, the answer waited behind up to 4,000 messages, and the connection was
 * dropped every 22 s. So this pings all the time, for the broker's sake, and takes anything received as a
 * sign of life. While a message waits for room nothing is read, and silence means nothing.
 */
class BrokerKeepalive {
  readonly #client: MqttClient;
  readonly #giveUp: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Checks since something was received, so that a stalled process does not blame the broker. */
  #silentLooks = 0;
  #looks = 0;
  #isHeld = false;
  #heardAt = performance.now();

  /** @param giveUp called when the broker has been silent for one and a half keepalives. */
  constructor(client: MqttClient, giveUp: () => void) {
    this.#client = client;
    this.#giveUp = giveUp;
    client.on('packetreceive', () => {
      this.#silentLooks = 0;
      this.#heardAt = performance.now();
    });
    client.once('connect', () => {
      // In seconds; a broker of MQTT 5 may have asked for another. 0 is never.
      if (client.keepalive > 0) {
        this.#timer = setInterval(() => this.#look(), (client.keepalive * 1_000) / LOOKS);
      }
    });
    client.once('close', () => clearInterval(this.#timer));
  }

  /** Milliseconds since something was received: while all is well little more than half a keepalive. 0 without one. */
  quietFor(): number {
    return this.#timer === undefined ? 0 : performance.now() - this.#heardAt;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#silentLooks = 0;
  }

  #look(): void {
    this.#looks += 1;
    this.#silentLooks += this.#isHeld ? 0 : 1;
    if (this.#silentLooks >= LONGEST_SILENCE) {
      this.#giveUp();
    } else if (this.#client.connected) {
      if (this.#looks % LOOKS_PER_PING === 0) {
        this.#client.sendPing();
      }
      // Keeps the library's own keepalive from ever firing.
      this.#client.reschedulePing(true);
    }
  }
}

/** Per keepalive. */
const LOOKS = 4;

/** Two pings per keepalive: the broker drops a client after one and a half of silence. */
const LOOKS_PER_PING = LOOKS / 2;

/** The same limit for the broker's silence. */
const LONGEST_SILENCE = LOOKS * 1.5;
