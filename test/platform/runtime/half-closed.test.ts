import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

describe('a caller that closes its side behind the request', () => {
  let arrived: PromiseWithResolvers<ServerResponse>;
  let listening: Listening;

  beforeEach(async () => {
    arrived = Promise.withResolvers();
    listening = await listenOn((_request, response) => arrived.resolve(response), {
      host: '127.0.0.1',
      port: 0,
      setting: 'API_PORT',
    });
  });
  afterEach(() => listening.close());

  function send(request: string) {
    return connect({ port: Number(new URL(listening.url).port), host: '127.0.0.1', allowHalfOpen: true }).end(
      request,
    );
  }

  for (const version of ['1.0', '1.1']) {
    it(`gets its answer, however long that takes (HTTP/${version})`, async () => {
      const socket = send(`GET / HTTP/${version}\r\nHost: here\r\n\r\n`);
      const response = await arrived.promise;
      const received = text(socket);
      if (version === '1.1') {
        await once(socket, 'readable');
      }
      response.end('done');
      const answers = (await received).split(/(?=HTTP\/1.1 )/);
      expect(answers.pop()).to.match(/^HTTP\/1.1 200 OK\r\n(.*\r\n)+done$/);
      for (const interim of answers) {
        expect(interim).to.equal('HTTP/1.1 102 Processing\r\n\r\n');
      }
    });
  }

  it('gets the answers to all that it sent', async () => {
    await listening.close();
    listening = await listenOn(({ url }, response) => setImmediate(() => response.end(`to ${url}`)), {
      host: '127.0.0.1',
      port: 0,
      setting: 'API_PORT',
    });
    const all = Array.from({ length: 40 }, (_, number) => `/${number}`);
    const received = await text(
      send(all.map((path) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`).join('')),
    );
    expect(received.match(/to \/\d+/g)).to.deep.equal(all.map((path) => `to ${path}`));
  });

  it('is told from one that hung up, whose request is not carried on with', async () => {
    const socket = send('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    const response = await arrived.promise;
    socket.destroy();
    await once(response, 'close');
    expect(response.writableFinished).to.equal(false);
  });

  for (const behind of [1, 15, 5_000]) {
    it(`is noticed to have hung up with ${behind} requests behind the one under way, which never begin`, async () => {
      await listening.close();
      let begun = 0;
      const first = Promise.withResolvers<ServerResponse>();
      listening = await listenOn(
        (_request, response) => {
          begun += 1;
          first.resolve(response);
        },
        { host: '127.0.0.1', port: 0, setting: 'API_PORT' },
      );
      const socket = send('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(1 + behind));
      socket.on('error', () => {});
      const response = await first.promise;
      socket.destroy();
      await once(response, 'close');
      expect(response.writableFinished).to.equal(false);
      expect(begun).to.equal(1);
    });
  }
});
