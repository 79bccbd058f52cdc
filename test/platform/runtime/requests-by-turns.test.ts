import { get, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

/** Connections that have the next request in time for the next round of the event loop. */
const BUSY = 100;

/** Who come then, at once. */
const NEWCOMERS = 10;

/** Milliseconds of the processor for a request. */
const WORK = 2;

/** Connections that somebody opens at once. */
const CROWD = 300;

describe('requests of many connections', () => {
  let listening: Listening;
  let begun = 0;
  const busy: Socket[] = [];
  before(async () => {
    listening = await listenOn(
      ({ url }, response) => {
        begun += 1;
        for (const until = performance.now() + WORK; performance.now() < until; );
        if (url !== '/slow') {
          response.end('done');
        }
      },
      { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
    );
  });
  after(() => listening.close());

  afterEach(() => {
    for (const socket of busy.splice(0)) {
      socket.destroy();
    }
  });

  /** Requests begun up to the answer to a new one. */
  const begunBefore = (options: RequestOptions) =>
    new Promise<number>((resolve, reject) => {
      get({ host: '127.0.0.1', agent: false, ...options }, (response) =>
        response.resume().once('end', () => resolve(begun)),
      ).once('error', reject);
    });

  it('are begun a few at a time, so that others are let in meanwhile', async () => {
    const port = Number(new URL(listening.url).port);
    const keepBusy = async () => {
      const socket = connect(port, '127.0.0.1');
      busy.push(socket);
      const ask = () => socket.write('GET /busy HTTP/1.1\r\nHost: here\r\n\r\n');
      await new Promise<void>((resolve) => {
        socket.on('data', () => {
          resolve();
          ask();
        });
        ask();
      });
    };
    await Promise.all(Array.from({ length: BUSY }, keepBusy));
    const before = begun;
    const come = () => begunBefore({ port, localAddress: '127.0.0.2' });
    const last = Math.max(...(await Promise.all(Array.from({ length: NEWCOMERS }, come))));
    // One is let in in each round of the event loop, which had one request of each busy connection before.
    expect(last - before).to.be.below((NEWCOMERS * BUSY) / 2);
  });

  it('are begun in turn by address and by login, though hundreds of one come in front of others', async () => {
    const port = Number(new URL(listening.url).port);
    const before = begun;
    for (let each = 0; each < CROWD; each++) {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /slow HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer crowd\r\n\r\n');
      busy.push(socket);
    }
    const others: RequestOptions[] = [
      { localAddress: '127.0.0.2' },
      { headers: { Authorization: 'Bearer other' } },
      { headers: { Cookie: 'session=other' } },
    ];
    const last = Math.max(...(await Promise.all(others.map((other) => begunBefore({ port, ...other })))));
    expect(last - before).to.be.below(CROWD / 2);
  });
});
