import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver of webhooks got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  /** `http://127.0.0.1:…/`. */
  url: string;
  port: number;
  /** In order of arrival. */
  received: Received[];
  connections(): number;
  /** How it answers from now on; 204 to begin with. */
  answer: (response: ServerResponse, request: Received) => void;
  /** Resolves when it has got so many requests. */
  got(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A receiver of webhooks on an address of this machine. */
export async function startReceiver(host = '127.0.0.1', at = 0): Promise<Receiver> {
  let waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    receiver.received.push(one);
    receiver.answer(response, one);
    for (const each of waiting.filter(({ count }) => receiver.received.length >= count)) {
      each.resolve();
    }
    waiting = waiting.filter(({ count }) => receiver.received.length < count);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await once(server.listen(at, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    port,
    received: [],
    connections: () => connections,
    answer: (response) => response.writeHead(204).end(),
    got: (count) =>
      receiver.received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
