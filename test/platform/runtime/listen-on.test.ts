import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { DRAIN_MS, listenOn } from '../../../platform/runtime/listen-on.ts';

const LOCAL = { host: '127.0.0.1', setting: 'API_PORT' };

describe('listening', () => {
  it('says which setting names a port that is taken', async () => {
    const first = await listenOn(() => {}, { ...LOCAL, port: 0 });
    const port = Number(new URL(first.url).port);
    const error = await listenOn(() => {}, { ...LOCAL, port }).catch((e: unknown) => e);
    expect(error).to.have.property('code', 'unavailable');
    expect(error).to.have.property(
      'message',
      `API_PORT ${port} on 127.0.0.1 is already in use; stop the program that listens there, or set API_PORT`,
    );
    await first.close();
  });

  it('goes on answering when a stop is announced, and ends each connection with its answer', async () => {
    const stopping = new AbortController();
    const arrived = Promise.withResolvers<() => void>();
    const listening = await listenOn(
      (request, response) => {
        const finish = () => response.end('done');
        request.url === '/slow' ? arrived.resolve(finish) : finish();
      },
      { ...LOCAL, port: 0 },
      { stopping: stopping.signal },
    );
    const connectionOf = async (answer: Promise<Response>) => {
      const { status, headers } = await answer;
      return { status, connection: headers.get('connection'), keepAlive: headers.get('keep-alive') };
    };
    expect(await connectionOf(fetch(listening.url))).to.deep.equal({
      status: 200,
      connection: 'keep-alive',
      keepAlive: 'timeout=75',
    });
    const slow = connectionOf(fetch(`${listening.url}/slow`));
    const finish = await arrived.promise;
    stopping.abort();
    finish();
    const last = { status: 200, connection: 'close', keepAlive: null };
    expect(await slow).to.deep.equal(last);
    expect(await connectionOf(fetch(listening.url))).to.deep.equal(last);
    await listening.close();
  });

  it('ends after the requests under way', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const listening = await listenOn((_request, response) => arrived.resolve(() => response.end('done')), {
      ...LOCAL,
      port: 0,
    });
    const answer = fetch(listening.url);
    const finish = await arrived.promise;
    const closed = listening.close();
    finish();
    expect(await (await answer).text()).to.equal('done');
    await closed;
    const refused = await fetch(listening.url).catch((error: Error) => error.message);
    expect(refused).to.equal('fetch failed');
  });

  it('waits neither for who never sends nor for who does not close after the last answer', async () => {
    const listening = await listenOn(
      (_request, response) => response.setHeader('Connection', 'close').end(),
      {
        ...LOCAL,
        port: 0,
      },
    );
    const port = Number(new URL(listening.url).port);
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    const answered = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    answered.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(2));
    await once(answered.resume(), 'end');
    const ends = [silent, answered].map((socket) => once(socket.on('error', () => {}).resume(), 'close'));
    const began = performance.now();
    await listening.close();
    expect(performance.now() - began).to.be.below(DRAIN_MS / 2);
    answered.end();
    await Promise.all(ends);
  });
});
