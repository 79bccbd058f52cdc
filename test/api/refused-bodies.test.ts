import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { expect } from 'chai';
import { READ_PAST } from '../../platform/runtime/read-past.ts';
import { useApi } from '../support/api.ts';

const MEBIBYTE = Buffer.alloc(1_048_576, 'x');

describe('bodies that are refused unread', () => {
  const api = useApi();

  const cases = { 'of no key': 401, 'of a method there is not': 405, 'above the limit': 413 };
  for (const [of, status] of Object.entries(cases)) {
    it(`are read past at a bounded rate, whoever sends them, so that others have their turn: ${of}`, async () => {
      const send = async (connection: Agent) => {
        const asked = request(`${api.url}/api/v1/assets`, {
          method: status === 405 ? 'PUT' : 'POST',
          agent: connection,
          headers: {
            authorization: status === 401 ? 'Bearer tt_no' : `Bearer ${api.key}`,
            'content-type': 'application/json',
            'content-length': String(status === 413 ? MEBIBYTE.length * 2 : MEBIBYTE.length),
          },
        });
        const answered = once(asked, 'response');
        asked.write(MEBIBYTE);
        asked.end(status === 413 ? MEBIBYTE : undefined);
        const [response] = await answered;
        await once(response.resume(), 'end');
        return response.statusCode as number;
      };
      const since = performance.now();
      const statuses: number[] = [];
      const flood = Array.from({ length: 6 }, async () => {
        const connection = new Agent({ keepAlive: true, maxSockets: 1 });
        while (statuses.length < 72) {
          statuses.push(await send(connection));
        }
        connection.destroy();
      });
      await Promise.all(flood);
      const bytes = (status === 413 ? 2 : 1) * (72 - 6) * MEBIBYTE.length;
      expect(new Set(statuses)).to.deep.equal(new Set([status]));
      // Of each connection the last body may still be on its way; the sockets of both sides hold some of the others.
      expect(bytes / ((performance.now() - since) / 1_000)).to.be.lessThan(READ_PAST * 1.5);
    });
  }
});
