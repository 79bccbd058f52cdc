import { setTimeout as pause } from 'node:timers/promises';
import mqtt, { type IConnackPacket, type MqttClient, ReasonCodes } from 'mqtt';
import type { BrokerAddress } from '../source/broker-address.ts';
import type { ProtocolVersion, VersionChoice } from '../source/protocol-version.ts';
import { type Message, Unpublished } from './messages.ts';
import type { Sink } from './publish-step.ts';

export interface BrokerSink extends Sink {
  close(): void;
}

export interface BrokerSinkOptions {
  address: BrokerAddress;
  clientId: string;
  version: VersionChoice;
}

/**
 * A connection that publishes to a broker. It is never repaired: after a fault nothing more is sent, and whoever publishes
 * begins on another where the last acknowledgement was.
 *
 * Every process of a database has the same client id here. A broker ends the connection of one that comes again under its
 * id (MQTT 3.1.1 section 3.1.4), so what the predecessor still had to send cannot arrive after what the successor sends.
 *
 * @throws the fault that prevented the connection.
 */
export async function openBrokerSink(options: BrokerSinkOptions, signal: AbortSignal): Promise<BrokerSink> {
  const { version } = options;
  try {
    const sink = await open({ ...options, protocolVersion: version.current }, signal);
    version.worked();
    return sink;
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSED_VERSION.includes(Number(error.code))) {
      version.refused();
    } else if (error instanceof Closed) {
      version.notAnswered();
    }
    throw error;
  }
}

class Closed extends Error {}

async function open(
  {
    address,
    clientId,
    protocolVersion,
  }: Omit<BrokerSinkOptions, 'version'> & { protocolVersion: ProtocolVersion },
  signal: AbortSignal,
): Promise<BrokerSink> {
  const client = mqtt.connect({
    ...address,
    clientId,
    protocolVersion,
    keepalive: KEEPALIVE,
    clean: true,
    connectTimeout: CONNACK,
    reconnectPeriod: 0,
    resubscribe: false,
  });
  const end = () => client.end(true);
  signal.addEventListener('abort', end);
  const { lost, fail, failed } = faultsOf(client);
  const connected = new Promise<IConnackPacket>((resolve) => client.once('connect', resolve));
  const connack = await Promise.race([connected, failed]);
  const window = Math.min(connack.properties?.receiveMaximum ?? MOST_IN_FLIGHT, MOST_IN_FLIGHT);
  return {
    lost,
    publish: async (messages, { isCareful = false } = {}) => {
      lost.throwIfAborted();
      const silence = setTimeout(() => fail(new Error('the broker acknowledges nothing')), SILENCE);
      const inFlight: Sent[] = [];
      try {
        const published = publishAll(client, messages, {
          inFlight,
          window: isCareful ? 1 : window,
          onAcknowledged: () => silence.refresh(),
        });
        published.catch(() => {});
        await Promise.race([published, failed]);
      } catch (error) {
        // Sessions that this process ended itself are not reported.
        const refused = lost.aborted && !signal.aborted ? inFlight[0]?.message : undefined;
        throw refused === undefined ? error : new Unpublished(refused, { cause: error, isLost: true });
      } finally {
        clearTimeout(silence);
      }
    },
    hasForgotten: (mark) => hasForgotten(client, mark),
    close: () => {
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

/** The first fault ends the connection. */
function faultsOf(client: MqttClient): {
  lost: AbortSignal;
  fail(error: Error): void;
  failed: Promise<never>;
} {
  const lost = new AbortController();
  const fail = (error: Error) => {
    lost.abort(error);
    client.end(true);
  };
  client.on('error', fail);
  client.on('disconnect', ({ reasonCode = 0 }) =>
    fail(new Closed(`the broker ended the connection: ${reasonOf(reasonCode)}`)),
  );
  client.on('close', () => fail(new Closed('the broker closed the connection')));
  const failed = new Promise<never>((_, reject) => {
    lost.signal.addEventListener('abort', () => reject(lost.signal.reason));
  });
  failed.catch(() => {});
  return { lost: lost.signal, fail, failed };
}

async function hasForgotten(client: MqttClient, mark: string): Promise<boolean> {
  let isHeard = false;
  const heard = new Promise<void>((resolve) => {
    client.once('message', () => {
      isHeard = true;
      resolve();
    });
  });
  const granted = await client.subscribeAsync(mark, { qos: 0 }).catch(() => []);
  // A broker that refuses the subscription is trusted.
  const isAsked = granted.some(({ qos }) => qos === 0);
  if (isAsked) {
    await Promise.race([heard, pause(MARK, undefined, { ref: false })]);
  }
  // Messages sent before the answer to this have arrived by then, however busy this machine is.
  await client.unsubscribeAsync(mark).catch(() => {});
  return isAsked && !isHeard;
}

interface Sent {
  message: Message;
  acknowledged: Promise<unknown>;
}

/**
 * In order, with at most `window` unacknowledged (required by MQTT 5 section 3.3.4). After a refused message no more
 * are sent, and those on their way are awaited.
 *
 * @param inFlight unacknowledged messages, oldest first.
 */
async function publishAll(
  client: MqttClient,
  messages: readonly Message[],
  { inFlight, window, onAcknowledged }: { inFlight: Sent[]; window: number; onAcknowledged(): void },
): Promise<void> {
  let refused: Unpublished | null = null;
  const awaitOldest = async ({ message, acknowledged }: Sent) => {
    await acknowledged.catch((error: unknown) => {
      if (!isRefusal(error)) {
        throw error;
      }
      refused ??= new Unpublished(message, { cause: error, isLost: false });
    });
    inFlight.shift();
  };
  for (const message of messages) {
    const acknowledged = client.publishAsync(message.topic, message.payload, { qos: 1, retain: true });
    acknowledged.then(onAcknowledged, () => {});
    inFlight.push({ message, acknowledged });
    if (inFlight.length >= window) {
      await awaitOldest(inFlight[0] as Sent);
    }
    if (refused !== null) {
      break;
    }
  }
  for (let oldest = inFlight[0]; oldest !== undefined; oldest = inFlight[0]) {
    await awaitOldest(oldest);
  }
  if (refused !== null) {
    throw refused;
  }
}

function reasonOf(code: number): string {
  return code in ReasonCodes ? ReasonCodes[code as keyof typeof ReasonCodes] : `reason code ${code}`;
}

/** The reason code of a PUBACK (MQTT 5 section 3.4.2.1). */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && Number(error.code) >= 128;
}

/** Unacceptable protocol version: MQTT 3.1.1 section 3.2.2.3, MQTT 5 section 3.2.2.2. */
const REFUSED_VERSION = [1, 132];

/** Messages on their way: more do not make it faster, and each takes memory here and in the broker. */
const MOST_IN_FLIGHT = 100;

/** Seconds. A broker that says nothing is given up after one and a half times that. */
const KEEPALIVE = 10;

/** Milliseconds. */
const CONNACK = 10_000;
const SILENCE = 30_000;

/** Milliseconds. Brokers send retained messages at once; if this one is slower, everything is sent once more. */
const MARK = 1_000;
