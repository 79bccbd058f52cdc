import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

/** Connections that have the next request in time for the next round of the event loop. */
const BUSY = 100;

/** Who come then, at once. */
const NEWCOMERS = 10;

/** Milliseconds of the processor for a request. */
const WORK = 2;

describe('requests of many connections', () => {
  let listening: Listening;
  let begun = 0;
  const busy: Socket[] = [];
  before(async () => {
    listening = await listenOn(
      (_request, response) => {
        begun += 1;
        for (const until = performance.now() + WORK; performance.now() < until; );
        response.end('done');
      },
      { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
    );
  });
  after(async () => {
    for (const socket of busy) {
      socket.destroy();
    }
    await listening.close();
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
    const come = () =>
      new Promise<number>((resolve, reject) => {
        get({ port, host: '127.0.0.1', localAddress: '127.0.0.2', agent: false }, (response) =>
          response.resume().once('end', () => resolve(begun)),
        ).once('error', reject);
      });
    const last = Math.max(...(await Promise.all(Array.from({ length: NEWCOMERS }, come))));
    // One is let in in each round of the event loop, which had one request of each busy connection before.
    expect(last - before).to.be.below((NEWCOMERS * BUSY) / 2);
  });
});
