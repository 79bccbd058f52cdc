import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { EventStream, eventText } from '../../../platform/http/event-stream.ts';

describe('a stream of events', () => {
  let server: Server;
  const serve = async (stream: EventStream) => {
    const app = new Koa();
    app.silent = true;
    app.use((koa) => stream.send(koa));
    server = createServer(app.callback());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  it('goes on after the last event that the reader had', async () => {
    const port = await serve(
      new EventStream(async function* (last) {
        yield eventText({ id: Number(last) + 1, event: 'move', data: { text: 'a\nb' } });
      }),
    );
    const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { 'Last-Event-ID': '41' } });
    expect(answer.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(await answer.text()).to.equal('id: 42\nevent: move\ndata: {"text":"a\\nb"}\n\n');
  });

  it('cuts off a reader that does not read, and makes no more for it meanwhile', async () => {
    let made = 0;
    const cuts: string[] = [];
    const ended = Promise.withResolvers<void>();
    const piece = ':'.repeat(1_000_000);
    const port = await serve(
      new EventStream(
        async function* () {
          try {
            for (;;) {
              made += 1;
              yield piece;
            }
          } finally {
            ended.resolve();
          }
        },
        { patience: 200, onCut: () => cuts.push('cut') },
      ),
    );
    const socket = connect(port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    await ended.promise;
    // What the sockets of both ends hold.
    expect(made).to.be.below(50);
    expect(cuts).to.deep.equal(['cut']);
    socket.destroy();
  });

  it('ends its source when the reader goes', async () => {
    const ended = Promise.withResolvers<void>();
    const port = await serve(
      new EventStream(async function* () {
        try {
          for (;;) {
            yield ':\n\n';
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          ended.resolve();
        }
      }),
    );
    const leaving = new AbortController();
    const { body } = await fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
    await body?.getReader().read();
    leaving.abort();
    await ended.promise;
  });
});
