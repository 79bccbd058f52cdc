import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { RequestBody } from '../../../platform/http/read-body.ts';
import { listenOn } from '../../../platform/runtime/listen-on.ts';

const CRUMBS = 2_000;

describe('the body of a request', () => {
  it('is read by rounds of the event loop, not by chunks, of which a packet may have thousands', async () => {
    const lengths: number[] = [];
    const begun = Promise.withResolvers<void>();
    const listening = await listenOn(
      async (request, response) => {
        const body = new RequestBody(request, undefined as never, undefined as never, undefined as never);
        setImmediate(begun.resolve);
        for await (const piece of body.stream(16_384)) {
          lengths.push(piece.length);
        }
        response.end();
      },
      { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
    );
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
    const crumbs = '1\r\nx\r\n'.repeat(CRUMBS);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    await begun.promise;
    socket.write(`${crumbs}0\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    await listening.close();
    expect(lengths.reduce((sum, length) => sum + length)).to.equal(1 + CRUMBS);
    expect(lengths.length).to.be.below(CRUMBS / 20);
  });

  it('takes no memory once it came in too many small chunks', async () => {
    const refused = Promise.withResolvers<number>();
    const listening = await listenOn(
      () => {},
      { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
      {
        prepare: (server) => {
          server.on('request', (request) => {
            server.once('clientError', () => {
              refused.resolve(request.readableLength);
            });
          });
        },
      },
    );
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}`,
    );
    expect(await refused.promise).to.equal(0);
    socket.destroy();
    await listening.close();
  });
});
