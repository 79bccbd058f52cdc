import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endWithParent } from './serve.ts';

/** A receiver of webhooks that answers at once. `GET /` says how many requests it got, and when the last came. */
let requests = 0;
let last = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ requests, last }));
    return;
  }
  request.resume();
  request.on('end', () => {
    requests += 1;
    last = performance.timeOrigin + performance.now();
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  endWithParent();
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
