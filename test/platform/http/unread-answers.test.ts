import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHttpApp } from '../../../platform/http/app.ts';
import { bearerOf } from '../../../platform/http/bearer.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { answered, JsonBytes } from '../../../platform/http/success.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

const MEBIBYTE = 1_048_576;

/** More than the system keeps for a connection. */
const SIZE = 16 * MEBIBYTE;

/** As many answers as have room, and some. */
const MANY = 14;

describe('answers that nobody reads', () => {
  let listening: Listening;
  const sockets: Socket[] = [];
  const shared = new JsonBytes(Buffer.alloc(SIZE, '1'));
  before(async () => {
    const route = routesOf<{ orgId: number }>();
    const answering = (path: string, handle: () => Promise<JsonBytes>) =>
      route({
        ...{ method: 'GET', path, operationId: path, summary: path },
        scope: null,
        success: answered({ type: 'integer' }, 'a long number'),
        handle,
      });
    const app = createHttpApp<{ orgId: number }>({
      routes: [
        answering('/own', async () => new JsonBytes(Buffer.alloc(SIZE, '1'))),
        answering('/shared', async () => shared),
      ],
      access: {
        credentialOf: bearerOf,
        authenticate: async (token) => ({ orgId: Number(token) }),
        authorize: () => {},
        callerOf: ({ orgId }) => ({ orgId }),
      },
      log: pino({ level: 'silent' }),
      registry: new Registry(),
    });
    listening = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'API_PORT' });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });
  after(() => listening.close());

  /** Reads the beginning of the answer, and no more. */
  const ask = async (path: string, orgId: number): Promise<Socket> => {
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${orgId}\r\n\r\n`);
    const [beginning] = await once(socket, 'data');
    expect(String(beginning).slice(0, 12)).to.equal('HTTP/1.1 200');
    socket.pause();
    return socket;
  };
  /** Reads the rest. */
  const isWhole = async (socket: Socket): Promise<boolean> => {
    let bytes = 0;
    const ended = new Promise<boolean>((resolve) => {
      socket.on('close', () => resolve(false));
      socket.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > SIZE - MEBIBYTE) {
          resolve(true);
        }
      });
    });
    socket.resume();
    return ended;
  };
  const askMany = async (path: string, orgId: number) => {
    const asked: Socket[] = [];
    for (let n = 0; n < MANY; n++) {
      asked.push(await ask(path, orgId));
    }
    return asked;
  };

  it("are cut off beyond a bound, the oldest of whoever holds most first, and never another organization's", async () => {
    const others = await ask('/own', 2);
    const [oldest, ...later] = await askMany('/own', 1);
    expect(await isWhole(oldest as Socket)).to.equal(false);
    expect(await isWhole(later.at(-1) as Socket)).to.equal(true);
    expect(await isWhole(others)).to.equal(true);
  });

  it('are held and counted once if they are the same', async () => {
    const whole = await Promise.all((await askMany('/shared', 1)).map(isWhole));
    expect(whole).to.deep.equal(Array.from({ length: MANY }, () => true));
  });
});
