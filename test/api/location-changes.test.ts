import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';

const PATH = '/api/v1/locations';

describe('changing a location', () => {
  const api = useApi();
  let serial = 0;
  const make = async (parent_id: number | null = null, external_key = `L-${++serial}`) =>
    (await api.call({ method: 'POST', path: PATH, json: { name: external_key, external_key, parent_id } }))
      .body?.data.id as number;
  const read = async (id: number) => (await api.call({ path: `${PATH}/${id}` })).body?.data;
  const patch = (id: number, json: unknown, call: Partial<Call> = {}) =>
    api.call({ method: 'PATCH', path: `${PATH}/${id}`, json, ...call });
  const remove = (id: number) => api.call({ method: 'DELETE', path: `${PATH}/${id}` });
  const place = async (locationId: number) => {
    const { body } = await api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'Pump' } });
    const assetId = body?.data.id as number;
    await api.database.rows('insert into positions values ($1, $2, $3, now(), now())', [
      api.orgId,
      assetId,
      locationId,
    ]);
    return assetId;
  };

  describe('by PATCH', () => {
    it('moves it under another parent by id, by key, by both, and to the root', async () => {
      const [id, first, second] = [await make(), await make(), await make(null, 'SECOND')];
      const parentAfter = async (json: object) => {
        const { status, body } = await patch(id, json);
        expect(status).to.equal(200);
        return [body?.data.parent_id, body?.data.parent_external_key];
      };
      expect(await parentAfter({ parent_id: first })).to.deep.equal([first, `L-${serial}`]);
      expect(await parentAfter({ parent_external_key: 'SECOND' })).to.deep.equal([second, 'SECOND']);
      expect(await parentAfter({ parent_external_key: null })).to.deep.equal([null, null]);
      expect(await parentAfter({ parent_id: second, parent_external_key: 'SECOND' })).to.deep.equal([
        second,
        'SECOND',
      ]);
      expect(await parentAfter({ parent_id: null, parent_external_key: null })).to.deep.equal([null, null]);
    });

    it('changes nothing with a body that came from GET', async () => {
      const id = await make(await make());
      const before = await read(id);
      expect((await patch(id, before)).body?.data).to.deep.equal(before);
      expect((await patch(id, { parent_external_key: before.parent_external_key })).body?.data).to.deep.equal(
        before,
      );
    });

    it('refuses parents that differ, do not resolve, or are half null', async () => {
      const [id, parent] = [await make(), await make()];
      await make(null, 'THIRD');
      const both = [
        ['parent_id', 'ambiguous_fields'],
        ['parent_external_key', 'ambiguous_fields'],
      ] as const;
      expectIssues(await patch(id, { parent_id: parent, parent_external_key: 'THIRD' }), both);
      expectIssues(await patch(id, { parent_id: null, parent_external_key: 'THIRD' }), both);
      expectIssues(await patch(id, { parent_id: parent, parent_external_key: null }), both);
      expectIssues(
        await patch(id, { zz: 1, parent_external_key: null, parent_id: parent, name: '', id: 0 }),
        [['id', 'read_only'], ['name', 'too_short'], ...both, ['zz', 'unknown_field']],
      );
      expect((await patch(id, { parent_id: null, parent_external_key: null })).status).to.equal(200);
      expectIssues(await patch(id, { parent_id: 2147483647, parent_external_key: 'NONE' }), [
        ['parent_id', 'fk_not_found'],
        ['parent_external_key', 'fk_not_found'],
      ]);
      expect((await read(id)).parent_id).to.equal(null);
    });

    it('refuses circles', async () => {
      const top = await make();
      const middle = await make(top);
      const leaf = await make(middle);
      const self = `parent_id ${top} would create a self-referential cycle`;
      expectProblem(await patch(top, { parent_id: top }), 'conflict', self);
      const deeper = `parent_id ${leaf} would create a cycle through location ${top}`;
      expectProblem(await patch(top, { parent_id: leaf }), 'conflict', deeper);
      expectProblem(
        await patch(top, { parent_external_key: (await read(leaf)).external_key }),
        'conflict',
        deeper,
      );
    });

    it('never closes a circle by two moves at the same time', async () => {
      for (let round = 0; round < 10; round++) {
        const [a, b] = [await make(), await make()];
        const answers = await Promise.all([patch(a, { parent_id: b }), patch(b, { parent_id: a })]);
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      }
    });

    it('refuses read-only fields, and what locations do not have', async () => {
      const answer = await patch(await make(), { id: 1, external_key: 'NO', metadata: {}, tags: [{}] });
      expectIssues(answer, [
        ['id', 'read_only'],
        ['external_key', 'read_only'],
        ['tags', 'read_only'],
        ['metadata', 'unknown_field'],
      ]);
    });
  });

  describe('by rename', () => {
    it('touches the one row and counts the live descendants', async () => {
      const top = await make();
      const child = await make(top);
      await make(child);
      await remove(await make(child));
      const before = await read(child);
      const rename = (external_key: string) =>
        api.call({ method: 'POST', path: `${PATH}/${top}/rename`, json: { external_key } });
      const { body } = await rename('TOP');
      expect(body?.data.external_key).to.equal('TOP');
      expect(body?.descendant_count_affected).to.equal(2);
      expect(await read(child)).to.deep.equal({ ...before, parent_external_key: 'TOP' });
      expect((await rename('TOP')).body).to.deep.equal({ data: body?.data, descendant_count_affected: 0 });
      expectProblem(await rename(before.external_key), 'conflict');
    });
  });

  describe('by DELETE', () => {
    it('is refused while live locations are below it, then while live assets are at it', async () => {
      const top = await make();
      const child = await make(top);
      const assetId = await place(top);
      const descendants =
        'location has descendant locations; reassign or remove them before deleting (cascade is not supported)';
      expectProblem(await remove(top), 'conflict', descendants);
      expect((await remove(child)).status).to.equal(204);
      const assets =
        'location has assets placed at it; move or remove them before deleting (cascade is not supported)';
      expectProblem(await remove(top), 'conflict', assets);
      expect((await read(top)).deleted_at).to.equal(null);
      expect((await api.call({ method: 'DELETE', path: `/api/v1/assets/${assetId}` })).status).to.equal(204);
      expect((await remove(top)).status).to.equal(204);
      expectProblem(await remove(top), 'not_found', 'Location not found');
    });

    it('leaves no live child under it, whoever creates or moves one at the same time', async () => {
      for (let round = 0; round < 10; round++) {
        const [target, mover] = [await make(), await make()];
        await Promise.all([
          remove(target),
          api.call({ method: 'POST', path: PATH, json: { name: 'child', parent_id: target } }),
          patch(mover, { parent_id: target }),
        ]);
        const orphans = await api.database.rows(
          `select child.id from locations child join locations parent on parent.id = child.parent_id
           where parent.id = $1 and parent.deleted_at is not null and child.deleted_at is null`,
          [target],
        );
        expect(orphans).to.deep.equal([]);
      }
    });
  });

  describe('leaves a tree', () => {
    const ids: Record<string, number> = {};
    const keysOf = async (path: string, query = '') => {
      const { status, body } = await api.call({ path: `${PATH}/${path}?${query}` });
      expect(status).to.equal(200);
      return [
        body?.data.map(({ external_key }: { external_key: string }) => external_key),
        body?.total_count,
      ];
    };
    before(async () => {
      for (const [key, parent] of [
        ['site', null],
        ['b', 'site'],
        ['C', 'site'],
        ['A', 'site'],
        ['B', 'site'],
        ['b-2', 'b'],
        ['b-1', 'b'],
        ['C-1', 'C'],
        ['gone', 'site'],
      ] as const) {
        ids[key] = await make(parent === null ? null : (ids[parent] ?? null), key);
      }
      await remove(ids['gone'] ?? 0);
      await api.database.rows(`update locations set valid_to = '2020-01-01Z' where id = $1`, [ids['C-1']]);
    });

    it('of ancestors, nearest first', async () => {
      expect(await keysOf(`${ids['b-1']}/ancestors`)).to.deep.equal([['b', 'site'], 2]);
      expect(await keysOf(`${ids['b-1']}/ancestors`, 'limit=1&offset=1')).to.deep.equal([['site'], 2]);
      expect(await keysOf(`${ids['site']}/ancestors`)).to.deep.equal([[], 0]);
    });

    it('of children, ordered by key with letter case aside', async () => {
      expect(await keysOf(`${ids['site']}/children`)).to.deep.equal([['A', 'B', 'b', 'C'], 4]);
      expect(await keysOf(`${ids['A']}/children`)).to.deep.equal([[], 0]);
    });

    it('of descendants, depth first, also those that are not in effect', async () => {
      const all = ['A', 'B', 'b', 'b-1', 'b-2', 'C', 'C-1'];
      expect(await keysOf(`${ids['site']}/descendants`)).to.deep.equal([all, 7]);
      expect(await keysOf(`${ids['site']}/descendants`, 'limit=2&offset=3')).to.deep.equal([
        ['b-1', 'b-2'],
        7,
      ]);
      expect(await keysOf(`${ids['site']}/descendants`, 'offset=9')).to.deep.equal([[], 7]);
    });

    it('that is not sorted otherwise, and of a live location of the organization', async () => {
      for (const branch of ['ancestors', 'children', 'descendants']) {
        const answer = await api.call({ path: `${PATH}/${ids['site']}/${branch}?sort=name` });
        expectIssues(answer, [['sort', 'unknown_field']]);
        expect(answer.body?.error?.detail).to.equal('sort parameter not supported on this endpoint');
        const { key } = await api.organization('Other');
        expectProblem(await api.call({ path: `${PATH}/${ids['site']}/${branch}`, key }), 'not_found');
        expectProblem(await api.call({ path: `${PATH}/${ids['gone']}/${branch}` }), 'not_found');
        const path = `${PATH}/${ids['site']}/${branch}`;
        expectProblem(await api.call({ path, key: await api.keyWith(['locations:write']) }), 'forbidden');
      }
    });
  });
});
