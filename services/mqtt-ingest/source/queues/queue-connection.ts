import type { Socket } from 'node:net';
import {
  type Channel,
  type ChannelModel,
  type ConsumeMessage,
  connect,
  IllegalOperationError,
} from 'amqplib';
import { Acknowledgements } from '../acknowledgement-order.ts';
import type { BrokerConnection, ConnectionOptions, Delivery } from '../broker-connection.ts';
import { isAccessRefused, placeOfNode, type QueueAddress, QueueRefused } from '../queue-address.ts';

export interface QueueConnectionOptions
  extends Pick<ConnectionOptions, 'keepalive' | 'receiveMaximum' | 'signal' | 'onDelivery'> {
  address: QueueAddress;
  tls: { ca?: Buffer; cert?: Buffer; key?: Buffer };
  /** Null for a connection that takes nothing. */
  queue: string | null;
}

/**
 * A connection to a node of RabbitMQ that consumes one queue, as an MQTT client resumes a persistent session.
 * Bindings are its subscriptions; the queue has one active consumer, so that each reader's messages stay in order.
 *
 * The client's own recovery is not used: a connection is followed by a new one. Its socket and its heartbeat's flag
 * are not documented: the version is pinned, and tests hold the behaviour.
 *
 * @throws the error that prevented it.
 */
export async function openQueueConnection(options: QueueConnectionOptions): Promise<BrokerConnection> {
  const { queue, keepalive, signal } = options;
  const model = await connectTo(options);
  const ended = Promise.withResolvers<Error>();
  let reason: Error | null = null;
  const internals = model.connection as unknown as { stream: Socket; recvSinceLastCheck: boolean };
  const { stream } = internals;
  const fail = (error: Error) => {
    reason ??= error;
    // With the error, so that the client notices.
    stream.destroy(error);
  };
  model.on('error', (error) => {
    reason ??= error;
  });
  model.on('close', (error) =>
    ended.resolve(error ?? reason ?? new Error('the broker closed the connection')),
  );

  const gate = new DeliveryGate<Omit<Delivery, 'proceed'>>(stream, (delivery, proceed) =>
    options.onDelivery({ ...delivery, proceed }),
  );
  // Nothing is heard through a shut gate, which is not the broker's silence.
  const listening = setInterval(() => {
    internals.recvSinceLastCheck ||= gate.isShut;
  }, keepalive * 500);
  ended.promise.then(() => clearInterval(listening));

  let isResumed = false;
  let leave = async () => {};
  if (queue !== null) {
    try {
      isResumed = await orAborted(ensureQueue(model, queue), signal);
      leave = await orAborted(consume(model, { ...options, queue, gate, fail }), signal);
    } catch (error) {
      fail(error as Error);
      throw isAccessRefused(error) ? new QueueRefused(queue, error) : error;
    }
  }
  const bindings = new Bindings(() => model.createChannel(), queue ?? '');
  return {
    protocol: 'AMQP 0.9.1',
    isResumed,
    hasSharedSubscriptions: null,
    ended: ended.promise,
    quietFor: () => performance.now() - gate.heardAt,
    subscribe: (filters) => bindings.bind(filters),
    unsubscribe: (filters) => bindings.unbind(filters),
    // AMQP retains nothing.
    publishRetained: () => {},
    close: async () => {
      const timer = setTimeout(() => fail(new Error('the broker does not answer')), GOODBYE_MS);
      const leaving = leave()
        .catch(() => {})
        .then(() => model.close());
      await Promise.race([leaving.catch(() => {}), ended.promise]);
      clearTimeout(timer);
    },
  };
}

async function connectTo({
  address,
  tls,
  keepalive,
  signal,
}: Pick<QueueConnectionOptions, 'address' | 'tls' | 'keepalive' | 'signal'>): Promise<ChannelModel> {
  const connecting = connect(
    { ...address, heartbeat: keepalive },
    { ...tls, noDelay: true, timeout: CONNECT_MS },
  );
  return orAborted(connecting, signal).catch((error: Error) => {
    // The answer may still come.
    connecting.then((late) => late.on('error', () => {}).close()).catch(() => {});
    throw new Error(`${placeOfNode(address)}: ${error.message}`);
  });
}

interface Consuming extends Pick<QueueConnectionOptions, 'receiveMaximum'> {
  queue: string;
  gate: DeliveryGate<Omit<Delivery, 'proceed'>>;
  fail(error: Error): void;
}

/** @returns what ends it: by a channel's close, which goes after its acknowledgements; the connection's would overtake them. */
async function consume(
  model: ChannelModel,
  { queue, receiveMaximum, gate, fail }: Consuming,
): Promise<() => Promise<void>> {
  const channel = await model.createChannel();
  let isLeft = false;
  channel.on('error', fail);
  channel.on('close', () => isLeft || fail(new Error('the broker closed the channel')));
  const acknowledgements = new Acknowledgements((tags, areAllUpToLast) => {
    // One frame for a batch, unless one before it waits.
    for (const tag of areAllUpToLast ? tags.slice(-1) : tags) {
      acknowledge(channel, tag, areAllUpToLast);
    }
  });
  await channel.prefetch(receiveMaximum);
  const sender = `queue ${queue}`;
  await channel.consume(queue, (message) => {
    if (message === null) {
      fail(new Error(`the queue ${queue} was deleted`));
      return;
    }
    gate.pass({
      message: {
        topic: topicOf(message.fields.routingKey),
        payload: message.content,
        isDup: message.fields.redelivered,
        sender,
        packetId: stampOf(message),
        isStale: false,
      },
      acknowledge: acknowledgements.owe(message.fields.deliveryTag),
      fail,
    });
  });
  return async () => {
    acknowledgements.flush(0);
    isLeft = true;
    await channel.close();
  };
}

/** Nothing is sent on a closing channel; its deliveries come again. */
function acknowledge(channel: Channel, deliveryTag: number, isUpToThis: boolean): void {
  try {
    channel.ack({ fields: { deliveryTag } } as ConsumeMessage, isUpToThis);
  } catch (error) {
    if (!(error instanceof IllegalOperationError)) {
      throw error;
    }
  }
}

/**
 * Distinguishes a message from others with the same content, also when it is delivered again: the time at which
 * RabbitMQ took it, in milliseconds, which it adds if told to
 * (`message_interceptors.incoming.set_header_timestamp.overwrite`).
 */
function stampOf({ properties }: ConsumeMessage): number | null {
  const stamp: unknown = properties.headers?.['timestamp_in_ms'];
  return typeof stamp === 'number' ? stamp : null;
}

async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new Error('stopped'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) {
    abort();
  }
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Milliseconds. */
const CONNECT_MS = 10_000;
const GOODBYE_MS = 2_000;

/**
 * Binds a queue to the exchange that MQTT is published to, one filter after the other: a refusal closes the channel.
 * Answers as MQTT's: from 128 on they are refusals.
 */
class Bindings {
  readonly #open: () => Promise<Channel>;
  readonly #queue: string;
  #channel: Promise<Channel> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(open: () => Promise<Channel>, queue: string) {
    this.#open = open;
    this.#queue = queue;
  }

  bind(filters: readonly string[]): Promise<number[]> {
    return this.#each(filters, (channel, key) => channel.bindQueue(this.#queue, EXCHANGE, key));
  }

  unbind(filters: readonly string[]): Promise<number[]> {
    return this.#each(filters, (channel, key) => channel.unbindQueue(this.#queue, EXCHANGE, key));
  }

  async #each(
    filters: readonly string[],
    work: (channel: Channel, key: string) => Promise<unknown>,
  ): Promise<number[]> {
    const before = this.#turn;
    const answers = (async () => {
      await before.catch(() => {});
      const given: number[] = [];
      for (const filter of filters) {
        given.push(
          isRoutable(filter) ? await this.#once((channel) => work(channel, routingKeyOf(filter))) : INVALID,
        );
      }
      return given;
    })();
    this.#turn = answers;
    return answers;
  }

  /** @throws if the connection has ended. */
  async #once(work: (channel: Channel) => Promise<unknown>): Promise<number> {
    try {
      this.#channel ??= this.#open().then((channel) => channel.on('error', () => {}));
      await work(await this.#channel);
      return GRANTED;
    } catch (error) {
      this.#channel = null;
      if (isAccessRefused(error)) {
        return NOT_AUTHORIZED;
      }
      throw error;
    }
  }
}

/** RabbitMQ's MQTT plugin publishes there by default. */
const EXCHANGE = 'amq.topic';

/** MQTT 5 section 3.9.3. */
const GRANTED = 1;
const NOT_AUTHORIZED = 135;
const INVALID = 143;

const NOT_FOUND = 404;

/**
 * Declares a missing queue: replicated, with one active consumer at a time.
 *
 * @returns whether it existed; then it is left as it is.
 */
async function ensureQueue(model: ChannelModel, queue: string): Promise<boolean> {
  const checking = await model.createChannel();
  checking.on('error', () => {});
  try {
    await checking.checkQueue(queue);
    await checking.close();
    return true;
  } catch (error) {
    // The broker has closed the channel.
    if ((error as { code?: number }).code !== NOT_FOUND) {
      throw error;
    }
  }
  const declaring = await model.createChannel();
  declaring.on('error', () => {});
  await declaring.assertQueue(queue, { durable: true, arguments: argumentsOf(model) });
  await declaring.close();
  return false;
}

function argumentsOf({ connection }: ChannelModel): Record<string, unknown> {
  const major = Number.parseInt(connection.serverProperties.version, 10);
  return {
    'x-queue-type': 'quorum',
    'x-single-active-consumer': true,
    // From 4.0 on a message is dropped that was delivered twenty times: by kills during an outage.
    ...(major >= 4 ? { 'x-delivery-limit': -1 } : {}),
  };
}

/**
 * RabbitMQ's MQTT plugin publishes to an AMQP exchange: a topic's slashes are a routing key's dots there, and a filter's
 * plus sign is an asterisk. A dot in a topic is indistinguishable from a slash then.
 */
export function routingKeyOf(filter: string): string {
  return filter.replaceAll('/', '.').replaceAll('+', '*');
}

export function topicOf(routingKey: string): string {
  return routingKey.replaceAll('.', '/');
}

/** False for a topic or filter that stands for others in a routing key, or is too long for one. */
export function isRoutable(filter: string): boolean {
  return !/[.*]/.test(filter) && Buffer.byteLength(filter) <= LONGEST_KEY;
}

/** Bytes: AMQP 0.9.1 section 4.2.5.3. For a longer one the client throws, and answers nothing for those sent with it. */
const LONGEST_KEY = 255;

/**
 * Backpressure for the AMQP client, which reads its socket greedily and passes on everything: deliveries are taken one
 * at a time, and nothing is read while one waits for room. AMQP's own bound, the prefetch, counts messages of any size.
 * What was already read waits here: one chunk of the socket, and an incomplete message.
 */
export class DeliveryGate<Delivery> {
  heardAt = performance.now();
  readonly #socket: Socket;
  readonly #take: (delivery: Delivery, proceed: () => void) => boolean;
  readonly #waiting: Delivery[] = [];
  #isShut = false;
  #isDraining = false;

  /** @param take returns whether `proceed` was called already. */
  constructor(socket: Socket, take: (delivery: Delivery, proceed: () => void) => boolean) {
    this.#socket = socket;
    this.#take = take;
    const read = socket.read.bind(socket);
    // Size 0 is the stream's own read, to fill its bounded buffer.
    socket.read = (size) => {
      const bytes = this.#isShut && size !== 0 ? null : read(size);
      this.heardAt = bytes === null ? this.heardAt : performance.now();
      return bytes;
    };
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  pass(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.#drain();
  }

  #drain(): void {
    if (this.#isDraining) {
      return;
    }
    this.#isDraining = true;
    while (!this.#isShut) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        break;
      }
      this.#isShut = !this.#take(next, () => this.#open());
    }
    this.#isDraining = false;
  }

  #open(): void {
    if (!this.#isShut) {
      return;
    }
    this.#isShut = false;
    this.#drain();
    if (!this.#isShut) {
      // The client reads when it hears that there is something to read.
      this.#socket.emit('readable');
    }
  }
}
