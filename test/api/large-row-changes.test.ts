import { expect } from 'chai';
import { useApi } from '../support/api.ts';

const METADATA = { a: Array.from({ length: 100_000 }, (_, at) => at * 7919) };

describe('a small change of a large row', () => {
  const api = useApi();
  let path: string;

  before(async () => {
    const { body } = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      json: {
        name: 'n',
        external_key: 'LARGE',
        metadata: METADATA,
        tags: [{ tag_type: 'rfid', value: 'E2' }],
      },
    });
    path = `/api/v1/assets/${body?.data.id}`;
  });

  /** Of the large texts there are, each with the transaction that wrote it. */
  const pieces = async () => {
    const [{ table }] = (await api.database.rows(
      `select reltoastrelid::regclass::text as table from pg_class where oid = 'assets'::regclass`,
    )) as [{ table: string }];
    return api.database.rows(`select distinct chunk_id::text, xmin::text from ${table} order by 1, 2`);
  };

  const changes = {
    'a PATCH of another field': () => ({ method: 'PATCH', path, json: { description: 'new' } }),
    'a PATCH of the same metadata': () => ({ method: 'PATCH', path, json: { metadata: METADATA } }),
    'a PATCH of what was read': async () => {
      const { body } = await api.call({ path });
      return { method: 'PATCH', path, json: { ...body?.data, is_active: false } };
    },
    'a rename': () => ({ method: 'POST', path: `${path}/rename`, json: { external_key: 'LARGE-2' } }),
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`leaves its metadata unwritten, and is answered with all of it (${name})`, async () => {
      const before = await pieces();
      const answer = await api.call(await change());
      expect(answer.status).to.equal(200);
      expect(answer.body?.data).to.deep.equal((await api.call({ path })).body?.data);
      expect(answer.body?.data.metadata).to.deep.equal(METADATA);
      expect(await pieces()).to.deep.equal(before);
      expect(before).to.not.deep.equal([]);
    });
  }

  it('is refused for tags and metadata as that of any other', async () => {
    const refused = await api.call({ method: 'PATCH', path, json: { tags: [], name: 'x' } });
    expect(refused.body?.error?.fields).to.have.lengthOf(1);
    expect(refused.body?.error?.fields?.[0]).to.include({ field: 'tags', code: 'read_only' });
    const changed = await api.call({ method: 'PATCH', path, json: { metadata: {} } });
    expect(changed.body?.data.metadata).to.deep.equal({});
  });
});
