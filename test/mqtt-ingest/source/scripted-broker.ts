import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Packet, parser, writeToStream } from 'mqtt-packet';
import { until } from '../../support/subscribed-ingest.ts';

export interface BrokerSide {
  received: Packet[];
  send(packet: Packet): void;
  sent(cmd: Packet['cmd'], count: number): Promise<void>;
  /** The message ids that were acknowledged, in order. */
  acknowledged(): (number | undefined)[];
  end(): void;
  socket: Socket;
}

export interface Script {
  /** What to answer the n-th CONNECT, from 1; null to close the connection. */
  connack?(attempt: number): Packet | null;
  /** What to answer a subscription: a QoS, or 128 and above; null never to answer. */
  grant?(filter: string): number | null;
}

const WELCOME: Packet = { cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: true };

/** A broker that does what the test says, but answers CONNECT, SUBSCRIBE, UNSUBSCRIBE and PINGREQ by itself. */
export class ScriptedBroker {
  readonly connections: BrokerSide[] = [];
  readonly #server: Server;
  readonly #script: Required<Script>;

  private constructor(script: Required<Script>) {
    this.#script = script;
    this.#server = createServer((socket) => this.#take(socket));
  }

  static async start(script: Script = {}): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker({ connack: () => WELCOME, grant: () => 1, ...script });
    broker.#server.listen(0, '127.0.0.1');
    await once(broker.#server, 'listening');
    return broker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.connections) {
      socket.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(socket: Socket): void {
    const received: Packet[] = [];
    let protocolVersion = 4;
    const send = (packet: Packet) => void writeToStream(packet, socket, { protocolVersion });
    const count = (cmd: Packet['cmd']) => received.filter((packet) => packet.cmd === cmd).length;
    this.connections.push({
      received,
      send,
      sent: (cmd, wanted) => until(() => count(cmd) >= wanted),
      acknowledged: () => received.flatMap((packet) => (packet.cmd === 'puback' ? [packet.messageId] : [])),
      end: () => socket.destroy(),
      socket,
    });
    const incoming = parser();
    incoming.on('packet', (packet) => {
      received.push(packet);
      if (packet.cmd === 'connect') {
        protocolVersion = packet.protocolVersion ?? 4;
        const connack = this.#script.connack(this.connections.length);
        if (connack === null) {
          socket.destroy();
        } else {
          send(connack);
        }
      } else if (packet.cmd === 'subscribe') {
        const { messageId } = packet;
        const granted = packet.subscriptions.flatMap(({ topic }) => this.#script.grant(topic) ?? []);
        if (granted.length > 0) {
          send({ cmd: 'suback', messageId: messageId ?? 0, granted });
        }
      } else if (packet.cmd === 'unsubscribe') {
        const granted = packet.unsubscriptions.map(() => 0);
        send({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted });
      } else if (packet.cmd === 'pingreq') {
        send({ cmd: 'pingresp' });
      }
    });
    socket.on('error', () => {});
    socket.on('data', (bytes) => incoming.parse(bytes));
  }
}
