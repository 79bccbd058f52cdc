import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import type { TestDatabase } from '../../support/database.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { useTypedClient } from '../../support/typed-client.ts';

const LATER = { 'Retry-After': '1' };

interface Following extends AsyncIterable<never> {
  position: number;
}

/** The two feeds, which are followed by the same loop. */
const FEEDS = [
  {
    feed: 'moves',
    ...{ follow: 'follow', head: 'feedHead', heads: 'move_heads' },
    positionOf: (event: { data: { position: number } }) => event.data.position,
    append: (database: TestDatabase, orgId: number, assetId: number, count: number) =>
      appendMoves(database, orgId, Array(count).fill({ assetId })),
  },
  {
    feed: 'changes',
    ...{ follow: 'followChanges', head: 'changesHead', heads: 'change_heads' },
    positionOf: ({ position }: { position: number }) => position,
    append: (database: TestDatabase, orgId: number, assetId: number, count: number) =>
      database.rows(
        `with feed as (
           insert into change_heads as feed (org_id, head, sealed_at) values ($1, $3, now())
           on conflict (org_id) do update set head = feed.head + $3 returning head
         ), sealed as (
           insert into change_events (org_id, position, sealed_at, recorded_at, resource, resource_id, action)
           select $1, head - $3 + number, now(), now(), 'asset', $2, 'update' from feed, generate_series(1, $3) number
         )
         select pg_notify('changes_sealed', $1 || ':' || head) from feed`,
        [orgId, assetId, count],
      ),
  },
];

describe('following with the typed client', () => {
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
  const clientOf = (baseUrl = api.url, key = apiKey) =>
    client()['createTagtrailClient']({ baseUrl, apiKey: key });
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  for (const { feed, follow, head, heads, positionOf, append: appendTo } of FEEDS) {
    describe(feed, () => {
      const append = (count: number) => appendTo(api.database, orgId, assetId, count);
      const followed = (options: object = {}, url = api.url, key = apiKey): Following =>
        clientOf(url, key)[follow](options);
      /** The next events of a following, which goes on after them. */
      const take = async (following: Following, count: number, onEach = (_position: number) => {}) => {
        const positions: number[] = [];
        for await (const event of following) {
          expect(following.position).to.equal(positionOf(event));
          positions.push(following.position);
          onEach(following.position);
          if (positions.length === count) {
            break;
          }
        }
        return positions;
      };

      it('has every event once and in order, and waits for those that are still to come', async () => {
        await append(250);
        const following = followed();
        let last = 250;
        const positions = await take(following, 260, (position) => {
          if (position === last && last < 260) {
            last += 5;
            append(5);
          }
        });
        expect(positions).to.deep.equal(numbers(1, 260));
      });

      it('goes on after any position, in the same run or another', async () => {
        await append(10);
        const following = followed({ after: 3 });
        expect(await take(following, 2)).to.deep.equal([4, 5]);
        expect(await take(following, 2)).to.deep.equal([6, 7]);
        expect(await take(followed({ after: following.position }), 3)).to.deep.equal([8, 9, 10]);
      });

      it('ends when it is told to: while it waits, between two events, and before it begins', async () => {
        await append(3);
        const stopping = new AbortController();
        const following = followed({ after: 1, signal: stopping.signal });
        const all: number[] = [];
        for await (const event of following) {
          all.push(positionOf(event));
          if (positionOf(event) === 3) {
            // By then it waits for the next.
            setImmediate(() => stopping.abort());
          }
        }
        expect(all).to.deep.equal([2, 3]);
        expect(await take(following, 1)).to.deep.equal([]);
        const between = new AbortController();
        const two = followed({ signal: between.signal });
        expect(await take(two, 3, () => between.abort())).to.deep.equal([1]);
      });

      for (const [what, status, fail] of (
        [
          ['a lost connection', null, (response) => response.destroy()],
          [
            'an answer that breaks off',
            null,
            (response) => response.write('{"data":', () => response.destroy()),
          ],
          ['an answer that is none', null, (response) => response.end('{"data":{"moves":[')],
          [
            'a failure of what stands between',
            502,
            (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
          ],
          ['an outage, when it is told to', 503, (response) => response.writeHead(503, LATER).end('{}')],
          ['the rate limit, when it is told to', 429, (response) => response.writeHead(429, LATER).end('{}')],
        ] as [string, number | null, (response: ServerResponse) => void][]
      ).filter((_, index) => feed === 'moves' || index === 0)) {
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
            expect(await take(followed({ after: 2, onWait }, url), 3)).to.deep.equal([3, 4, 5]);
            expect(asked).to.deep.equal(Array(2).fill(`/api/v1/${feed}?after=2&limit=200&wait=25`));
            expect(waits.map((wait) => wait.status)).to.deep.equal([status]);
            expect(waits[0]?.milliseconds).to.be.at.least(what.endsWith('told to') ? 1_000 : 100);
          } finally {
            gateway.closeAllConnections();
            gateway.close();
          }
        });
      }

      it('asks the more rarely the less is left of the rate limit', async () => {
        await append(4);
        const left = ['3000', '1500', '0'];
        const gateway = createServer(async ({ url, headers }, response) => {
          const authorization = String(headers.authorization);
          const answer = await fetch(api.url + url?.replace('limit=200', 'limit=1'), {
            headers: { authorization },
          });
          const rate = { 'X-RateLimit-Limit': '6000', 'X-RateLimit-Remaining': left.shift() ?? '0' };
          response.writeHead(200, { 'Content-Type': 'application/json', ...rate }).end(await answer.text());
        }).listen(0, '127.0.0.1');
        await once(gateway, 'listening');
        try {
          const waits: number[] = [];
          const onWait = ({ milliseconds }: { milliseconds: number }) => waits.push(milliseconds);
          const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
          await take(followed({ onWait }, url), 4);
          expect(waits).to.deep.equal([20, 40]);
        } finally {
          gateway.closeAllConnections();
          gateway.close();
        }
      });

      it('throws what begins anew where events are not kept any more, with the head to begin from', async () => {
        await append(9);
        await api.database.rows(`update ${heads} set oldest = 6 where org_id = $1`, [orgId]);
        const { FeedExpiredError } = client();
        const error = await take(followed({ after: 4 }), 1).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(FeedExpiredError);
        expect(error).to.include({ oldest: 6, head: 9 });
        expect(await clientOf()[head]()).to.equal(9);
        expect(await take(followed({ after: 5 }), 1)).to.deep.equal([6]);
      });

      it('throws what the API says of any other refusal', async () => {
        const { TagtrailError } = client();
        const revoked = await api.keyWith(['tracking:read', 'changes:read'], {
          orgId,
          expiresAt: '2020-01-01T00:00:00Z',
        });
        for (const [following, type] of [
          [followed({}, api.url, revoked), 'unauthorized'],
          [followed({ after: 1 }), 'validation_error'],
        ] as [Following, string][]) {
          const error = await take(following, 1).catch((thrown: unknown) => thrown);
          expect(error).to.be.instanceOf(TagtrailError);
          expect(error).to.have.nested.property('problem.type', type);
        }
      });
    });
  }
});
