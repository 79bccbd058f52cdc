import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createApiClient } from '../../simulation/api-client.ts';

describe('the client that simulations use', () => {
  it('comes again when the API is not available or too much was asked of it', async () => {
    const answers = [503, 429, 503, 200];
    const server = createServer((_, response) => {
      const status = answers.shift() ?? 500;
      response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' });
      response.end(JSON.stringify(status === 200 ? { data: [{ id: 1 }], total_count: 1 } : {}));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      expect(await createApiClient(`http://127.0.0.1:${port}`, 'tt_key').assets()).to.deep.equal([{ id: 1 }]);
      expect(answers).to.deep.equal([]);
    } finally {
      server.close();
    }
  });
});
