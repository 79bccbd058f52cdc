import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { useTypedClient } from './use-typed-client.ts';

const LATER = { 'Retry-After': '1' };

interface MoveEvent {
  data: { position: number };
}

interface Following extends AsyncIterable<MoveEvent> {
  position: number;
}

describe('following moves with the typed client', () => {
  const api = useApi();
  const client = useTypedClient();
  let orgId: number;
  let apiKey: string;
  let assetId: number;
  beforeEach(async () => {
    ({ orgId, key: apiKey } = await api.organization());
    const json = { name: 'Any' };
    assetId = (await api.call({ method: 'POST', path: '/api/v1/assets', key: apiKey, json })).body?.data.id;
  });
  const append = (count: number) => appendMoves(api.database, orgId, Array(count).fill({ assetId }));
  const clientOf = (baseUrl = api.url, key = apiKey) =>
    client()['createTagtrailClient']({ baseUrl, apiKey: key });
  /** The next events of a following, which goes on after them. */
  const take = async (following: Following, count: number, onEach = (_position: number) => {}) => {
    const positions: number[] = [];
    for await (const { data } of following) {
      expect(following.position).to.equal(data.position);
      positions.push(data.position);
      onEach(data.position);
      if (positions.length === count) {
        break;
      }
    }
    return positions;
  };
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('has every event once and in order, and waits for those that are still to come', async () => {
    await append(250);
    const following = clientOf().follow();
    let head = 250;
    const positions = await take(following, 260, (position) => {
      if (position === head && head < 260) {
        head += 5;
        append(5);
      }
    });
    expect(positions).to.deep.equal(numbers(1, 260));
  });

  it('goes on after any position, in the same run or another', async () => {
    await append(10);
    const following = clientOf().follow({ after: 3 });
    expect(await take(following, 2)).to.deep.equal([4, 5]);
    expect(await take(following, 2)).to.deep.equal([6, 7]);
    expect(await take(clientOf().follow({ after: following.position }), 3)).to.deep.equal([8, 9, 10]);
  });

  it('ends when it is told to: while it waits, between two events, and before it begins', async () => {
    await append(3);
    const stopping = new AbortController();
    const following = clientOf().follow({ after: 1, signal: stopping.signal });
    const all: number[] = [];
    for await (const { data } of following) {
      all.push(data.position);
      if (data.position === 3) {
        // By then it waits for the next.
        setImmediate(() => stopping.abort());
      }
    }
    expect(all).to.deep.equal([2, 3]);
    expect(await take(following, 1)).to.deep.equal([]);
    const between = new AbortController();
    const two = clientOf().follow({ signal: between.signal });
    expect(await take(two, 3, () => between.abort())).to.deep.equal([1]);
  });

  for (const [what, status, fail] of [
    ['a lost connection', null, (response) => response.destroy()],
    ['an answer that breaks off', null, (response) => response.write('{"data":', () => response.destroy())],
    ['an answer that is none', null, (response) => response.end('{"data":{"moves":[')],
    [
      'a failure of what stands between',
      502,
      (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
    ],
    ['an outage, when it is told to', 503, (response) => response.writeHead(503, LATER).end('{}')],
    ['the rate limit, when it is told to', 429, (response) => response.writeHead(429, LATER).end('{}')],
  ] as [string, number | null, (response: ServerResponse) => void][]) {
    it(`asks again after ${what}`, async () => {
      await append(5);
      const asked: string[] = [];
      const gateway = createServer(async ({ url, headers }, response) => {
        asked.push(String(url));
        response.setHeader('Content-Type', 'application/json');
        if (asked.length === 1) {
          fail(response);
        } else {
          const authorization = String(headers.authorization);
          const answer = await fetch(api.url + url, { headers: { authorization } });
          response.writeHead(answer.status).end(await answer.text());
        }
      }).listen(0, '127.0.0.1');
      await once(gateway, 'listening');
      try {
        const waits: { status: number | null; milliseconds: number }[] = [];
        const onWait = (wait: (typeof waits)[number]) => waits.push(wait);
        const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
        expect(await take(clientOf(url).follow({ after: 2, onWait }), 3)).to.deep.equal([3, 4, 5]);
        expect(asked).to.deep.equal(Array(2).fill('/api/v1/moves?after=2&limit=200&wait=25'));
        expect(waits.map((wait) => wait.status)).to.deep.equal([status]);
        expect(waits[0]?.milliseconds).to.be.at.least(what.endsWith('told to') ? 1_000 : 100);
      } finally {
        gateway.closeAllConnections();
        gateway.close();
      }
    });
  }

  it('throws what begins anew where events are not kept any more, with the head to begin from', async () => {
    await append(9);
    await api.database.rows('update move_heads set oldest = 6 where org_id = $1', [orgId]);
    const { FeedExpiredError } = client();
    const error = await take(clientOf().follow({ after: 4 }), 1).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(FeedExpiredError);
    expect(error).to.include({ oldest: 6, head: 9 });
    expect(await clientOf().feedHead()).to.equal(9);
    expect(await take(clientOf().follow({ after: 5 }), 1)).to.deep.equal([6]);
  });

  it('throws what the API says of any other refusal', async () => {
    const { TagtrailError } = client();
    const revoked = await api.keyWith(['tracking:read'], { orgId, expiresAt: '2020-01-01T00:00:00Z' });
    for (const [following, type] of [
      [clientOf(api.url, revoked).follow(), 'unauthorized'],
      [clientOf().follow({ after: 1 }), 'validation_error'],
    ]) {
      const error = await take(following, 1).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(TagtrailError);
      expect(error).to.have.nested.property('problem.type', type);
    }
  });
});
