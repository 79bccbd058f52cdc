import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { handleInTurn } from '../../../platform/runtime/pipelined-requests.ts';

const SENT = 5_000;

describe('requests pipelined on one connection', () => {
  it('are handled one after another, all of them, and answered in their order', async () => {
    const underWay: { url: string; response: ServerResponse }[] = [];
    let most = 0;
    const server = createServer(
      handleInTurn(({ url = '' }, response) => {
        underWay.push({ url, response });
        most = Math.max(most, underWay.length);
        setImmediate(() => {
          const last = underWay.pop();
          last?.response.end(last.url);
        });
      }),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const requests = Array.from({ length: SENT }, (_, index) => {
      const end = index === SENT - 1 ? 'Connection: close\r\n' : '';
      return index % 3 === 0
        ? `POST /${index} HTTP/1.1\r\nHost: x\r\n${end}Content-Length: 300\r\n\r\n${'x'.repeat(300)}`
        : `GET /${index} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
    });
    socket.write(requests.join(''));
    let answered = '';
    for await (const text of socket.setEncoding('latin1')) {
      answered += text;
    }
    server.close();
    const bodies = [...answered.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, url]) => url);
    expect(bodies).to.deep.equal(requests.map((_, index) => `/${index}`));
    expect(most).to.equal(1);
  });
});
