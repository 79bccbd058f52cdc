import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { expectProblem, useApi } from '../support/api.ts';

const NUMBERS = `{"a":[${'1,'.repeat(500_000)}1.10]}`;

describe('a look-up of a row that is large', () => {
  const api = useApi();
  const paths = { asset: '', location: '' };

  async function add(kind: 'asset' | 'location', row: object, tags: number): Promise<string> {
    const { body } = await api.call({
      method: 'POST',
      path: `/api/v1/${kind}s`,
      json: { name: 'n', ...row },
    });
    const id: number = body?.data.id;
    const key: string = body?.data.external_key;
    await api.database.rows(
      `insert into tags (org_id, ${kind}_id, tag_type, value, tag_key)
       select $1, $2, 'rfid', $3 || place, $3 || place from generate_series(1, $4) place`,
      [api.orgId, id, `${key}-`, tags],
    );
    return `/api/v1/${kind}s/${id}`;
  }

  before(async () => {
    paths.asset = await add('asset', { metadata: JSON.parse(NUMBERS) }, 10_000);
    paths.location = await add('location', {}, 10_000);
  });

  function ask(path: string, options: { key?: string; method?: string; agent?: Agent } = {}) {
    const { key = api.key, method = 'GET', agent = new Agent() } = options;
    const asked = request(api.url + path, { method, headers: { authorization: `Bearer ${key}` }, agent });
    asked.end();
    return once(asked, 'response').then(([response]) => response as IncomingMessage);
  }

  for (const kind of ['asset', 'location'] as const) {
    it(`keeps no look-up of another organization waiting (${kind})`, async () => {
      const other = await api.organization();
      const { body } = await api.call({
        method: 'POST',
        path: '/api/v1/assets',
        key: other.key,
        json: { name: 'small' },
      });
      // All are there when the first is asked for.
      const agent = new Agent({ keepAlive: true });
      const placeOfLarge = async () => {
        const order: string[] = [];
        const noted = async (name: string, path: string, key: string) => {
          const response = await ask(path, { key, agent });
          order.push(name);
          await text(response);
        };
        await Promise.all([
          noted('large', paths[kind], api.key),
          ...Array.from({ length: 20 }, () => noted('small', `/api/v1/assets/${body?.data.id}`, other.key)),
        ]);
        return order.indexOf('large');
      };
      await placeOfLarge();
      const places = [await placeOfLarge(), await placeOfLarge(), await placeOfLarge()];
      agent.destroy();
      expect(Math.max(...places)).to.equal(20);
    });

    it(`is answered as in the list, and by HEAD with the same length (${kind})`, async () => {
      const answer = await ask(paths[kind]);
      const whole = await text(answer);
      const list = await text(await ask(`/api/v1/${kind}s?limit=200`));
      expect(answer.statusCode).to.equal(200);
      expect(answer.headers['content-type']).to.equal('application/json');
      expect(list).to.include(whole.slice('{"data":'.length, -1));
      const head = await ask(paths[kind], { method: 'HEAD' });
      expect([head.statusCode, head.headers['content-length']]).to.deep.equal([
        200,
        String(Buffer.byteLength(whole)),
      ]);
      expect(await text(head)).to.equal('');
    });
  }

  it('is the same on both sides of what is large', async () => {
    const metadata = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const rows = [
      await add('asset', {}, 200),
      await add('asset', {}, 201),
      await add('asset', { metadata: metadata(65_536) }, 1),
      await add('asset', { metadata: metadata(65_537) }, 1),
      await add('asset', { metadata: { a: Array.from({ length: 9_000 }, (_, at) => at * 7919) } }, 0),
      await add('location', {}, 200),
      await add('location', {}, 201),
    ];
    for (const path of rows) {
      const { body } = await api.call({ path });
      const list = await api.call({
        path: `${path.slice(0, path.lastIndexOf('/'))}?external_key=${body?.data.external_key}`,
      });
      expect(list.body?.data).to.deep.equal([body?.data]);
    }
  });

  it('finds none that is deleted, nor another organization’s', async () => {
    const gone = await add('asset', {}, 500);
    expectProblem(await api.call({ path: gone, key: (await api.organization()).key }), 'not_found');
    expect((await api.call({ method: 'DELETE', path: gone })).status).to.equal(204);
    expectProblem(await api.call({ path: gone }), 'not_found');
  });
});
