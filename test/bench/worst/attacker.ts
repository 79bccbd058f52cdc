import { Agent, request } from 'node:http';
import { connectAsync } from 'mqtt';

/** Requests or messages to be sent again and again, in turn, on as many connections; until told to stop. */
export interface Attack {
  connections: number;
  /** Where to: a route, or a broker. */
  url: string;
  /** Of a request. */
  method?: string;
  headers?: Record<string, string>;
  /** Of a message. */
  reader?: { username: string; password: string; topic: string };
  bodies: readonly (Uint8Array | null)[];
}

/** How many were answered, by status. */
export type Answered = Record<string, number>;

/**
 * Somebody who does the worst, in a process of its own: gets an {@link Attack}, says when each body was answered once,
 * and after the next message what was {@link Answered}.
 */
process.once('message', (attack: Attack) => {
  let isOver = false;
  const answered: Answered = {};
  const first = Promise.withResolvers<void>();
  process.once('message', () => {
    isOver = true;
  });
  const sender = async (_: unknown, place: number) => {
    const send = attack.reader === undefined ? requests(attack) : await messages(attack, place);
    for (let turn = place; !isOver; turn += attack.connections) {
      const status = await send(attack.bodies[turn % attack.bodies.length] ?? null);
      answered[status] = (answered[status] ?? 0) + 1;
      first.resolve();
    }
  };
  void first.promise.then(() => process.send?.('begun'));
  void Promise.all(Array.from({ length: attack.connections }, sender)).then(() => {
    process.send?.(answered, () => process.exit());
  });
});
process.once('disconnect', () => process.exit());

type Send = (body: Uint8Array | null) => Promise<string>;

function requests({ url, method, headers }: Attack): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (body) =>
    new Promise((resolve) => {
      const length = body === null ? {} : { 'content-length': String(body.length) };
      const asked = request(url, { method, agent, headers: { ...headers, ...length } });
      asked.on('error', ({ message }) => resolve(message));
      asked.on('response', (response) => {
        response.on('end', () => resolve(String(response.statusCode)));
        response.on('error', ({ message }) => resolve(message));
        response.resume();
      });
      asked.end(body);
    });
}

async function messages({ url, reader }: Attack, place: number): Promise<Send> {
  const { username = '', password = '', topic = '' } = reader ?? {};
  const client = await connectAsync(url, { username, password, clientId: `worst-${place}`, keepalive: 600 });
  return async (body) => {
    await client.publishAsync(topic, Buffer.from(body ?? []), { qos: 1 });
    return 'acknowledged';
  };
}
