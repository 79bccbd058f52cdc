import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { useClient } from '../support/contract-client.ts';

/** Far more than the tests' other rows have. */
const FIRST_ID = 1_000_000;

interface Node {
  id: number;
  parent: Node | null;
  key: string;
  isDeleted: boolean;
  children: Node[];
}

describe('a tree of locations', () => {
  const api = useApi();
  const client = useClient(api);

  const insert = (nodes: readonly Omit<Node, 'children'>[]) =>
    api.database.rows(
      `insert into locations (org_id, id, parent_id, external_key, name, deleted_at) overriding system value
       select $1, id, parent_id, key, key, case when is_deleted then now() end
       from unnest($2::integer[], $3::integer[], $4::text[], $5::boolean[]) as node (id, parent_id, key, is_deleted)`,
      [
        api.orgId,
        nodes.map(({ id }) => id),
        nodes.map(({ parent }) => parent?.id ?? null),
        nodes.map(({ key }) => key),
        nodes.map(({ isDeleted }) => isDeleted),
      ],
    );

  it('is walked in time that grows with it, however deep it is', async () => {
    const count = 15_000;
    await api.database.rows(
      `insert into locations (org_id, id, parent_id, external_key, name) overriding system value
       select $1, $2 + n, case when n > 0 then $2 + n - 1 end, 'CHAIN-' || n, 'chain'
       from generate_series(0, $3::integer) n`,
      [client.api.orgId, FIRST_ID, count],
    );
    const answer = await client.get(`/locations/${FIRST_ID}/descendants?limit=2&offset=${count - 2}`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.have.property('total_count', count);
    const rows = answer.body?.data as unknown;
    expect(rows).to.have.nested.property('[0].external_key', `CHAIN-${count - 1}`);
    expect(rows).to.have.nested.property('[1].external_key', `CHAIN-${count}`);
    const above = await client.get(`/locations/${FIRST_ID + count}/ancestors?limit=1&offset=${count - 1}`);
    expect(above.body).to.have.nested.property('data[0].external_key', 'CHAIN-0');
    const renamed = await client.post(`/locations/${FIRST_ID}/rename`, { external_key: 'FIRST' });
    expect(renamed.body).to.have.property('descendant_count_affected', count);
  });

  it('of any shape is walked depth first, letter case aside', async () => {
    const nodes: Node[] = [];
    // A fixed sequence that looks like chance.
    let state = 7;
    const chance = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let index = 0; index < 400; index++) {
      const parent = index === 0 ? null : (nodes[Math.max(0, index - 1 - chance(12))] ?? null);
      const key = `${'aBcDeF'.charAt(chance(6))}-${chance(40)}-${index}`;
      const isDeleted = index > 0 && chance(10) === 0;
      const node = { id: 2 * FIRST_ID + chance(1_000) * 1_000 + index, parent, key, isDeleted, children: [] };
      nodes.push(node);
      parent?.children.push(node);
    }
    await insert(nodes);
    const [root] = nodes as [Node];
    const folded = ({ key }: Node) => [key.toLowerCase(), key].join('\0');
    const walk = (node: Node): Node[] =>
      node.children
        .toSorted((a, b) => (folded(a) < folded(b) ? -1 : 1))
        .flatMap((child) => [child, ...walk(child)]);
    const expected = walk(root).flatMap(({ isDeleted, key }) => (isDeleted ? [] : [key]));
    const found: string[] = [];
    for (let offset = 0; offset < expected.length; offset += 150) {
      const query = `?limit=150&offset=${offset}`;
      found.push(...(await client.keys(`/locations/${root.id}/descendants${query}`, { key: api.key })));
    }
    expect(found).to.deep.equal(expected);
  });
});
