import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Where connections lead, asked for each. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The server that an address such as a database's names. */
export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** Sees the bytes of one connection, in each direction. */
export interface Observer {
  fromClient(bytes: Buffer): void;
  fromServer(bytes: Buffer): void;
}

/** A network between two processes: a TCP proxy that can be cut, stalled and slowed down. */
export class Link {
  readonly port: number;
  /** Connections that are made from now on lead here. */
  target: Target;
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #delay = 0;
  #stall: PromiseWithResolvers<void> | null = null;
  /** Connections made from now on belong to this one; those of an earlier one are silent. */
  #era = 0;
  readonly #closed = Promise.withResolvers<void>();

  private constructor(server: Server, target: Target) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.target = target;
  }

  /** @param observe called for each connection. */
  static async open(target: Target, observe: () => Observer = () => UNOBSERVED): Promise<Link> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const link = new Link(server, target);
    server.on('connection', (socket) => link.#join(socket, observe()));
    return link;
  }

  /** The address `url` by way of here. */
  by(url: string): string {
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String(this.port);
    return address.href;
  }

  /** Resets the connections there are, with what is under way on them, and makes no new ones. */
  cut(): void {
    this.cuts += 1;
    this.#isCut = true;
    this.#reset();
  }

  /** Keeps the connections and lets nothing through, as a network whose other end vanished. */
  stall(): void {
    this.#stall ??= Promise.withResolvers();
  }

  /** Lets nothing through on the connections there are, ever, but on new ones: as when another host takes over. */
  abandon(): void {
    this.#era += 1;
  }

  /** Every piece of a transfer waits so many milliseconds. */
  slow(milliseconds: number): void {
    this.#delay = milliseconds;
  }

  mend(): void {
    this.#isCut = false;
    this.#delay = 0;
    this.#stall?.resolve();
    this.#stall = null;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#isCut = true;
    this.#stall?.resolve();
    this.#closed.resolve();
    this.#reset();
    await closed;
  }

  #reset(): void {
    for (const socket of this.#sockets) {
      // Node.js does not close one that it resets while it is being shut down, and its process then spins instead of ending.
      if (socket.writableEnded && !socket.writableFinished) {
        socket.destroy();
      } else {
        socket.resetAndDestroy();
      }
    }
  }

  #join(near: Socket, observer: Observer): void {
    if (this.#isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.target.port, this.target.host);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    }
    const end = () => {
      near.destroy();
      far.destroy();
    };
    pipeline(near, this.#passing(observer.fromClient), far).catch(end);
    pipeline(far, this.#passing(observer.fromServer), near).catch(end);
  }

  #passing(observe: (bytes: Buffer) => void) {
    const link = this;
    const era = this.#era;
    return async function* (source: AsyncIterable<Buffer>) {
      for await (const bytes of source) {
        observe(bytes);
        await link.#stall?.promise;
        if (era !== link.#era) {
          await link.#closed.promise;
        }
        if (link.#delay > 0) {
          await pause(link.#delay);
        }
        yield bytes;
      }
    };
  }
}

const UNOBSERVED: Observer = { fromClient: () => {}, fromServer: () => {} };
