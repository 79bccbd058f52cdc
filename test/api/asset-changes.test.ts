import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';

const PATH = '/api/v1/assets';
const LATER = '2030-01-01T00:00:00Z';

describe('changing an asset', () => {
  const api = useApi();
  let id: number;
  const make = async (json: object = {}) =>
    (await api.call({ method: 'POST', path: PATH, json: { name: 'Pump', ...json } })).body?.data.id as number;
  const read = async (assetId = id) => (await api.call({ path: `${PATH}/${assetId}` })).body?.data;
  const patch = (json: unknown, call: Partial<Call> = {}) =>
    api.call({ method: 'PATCH', path: `${PATH}/${id}`, json, ...call });
  const rename = (json: unknown, assetId = id) =>
    api.call({ method: 'POST', path: `${PATH}/${assetId}/rename`, json });
  const remove = (assetId = id) => api.call({ method: 'DELETE', path: `${PATH}/${assetId}` });
  beforeEach(async () => {
    id = await make();
  });

  describe('by PATCH', () => {
    it('sets what is given, leaves the rest, and advances updated_at', async () => {
      const before = await read();
      const changes = {
        name: 'Other',
        description: 'd',
        is_active: false,
        valid_to: LATER,
        metadata: { a: 1 },
      };
      const { status, body } = await patch(changes);
      expect(status).to.equal(200);
      const { updated_at } = body?.data ?? {};
      expect(body?.data).to.deep.equal({
        ...before,
        ...changes,
        valid_to: '2030-01-01T00:00:00.000Z',
        updated_at,
      });
      expect(updated_at > before.updated_at).to.equal(true);
      expect(await api.database.rows('select name, is_active from assets where id = $1', [id])).to.deep.equal(
        [{ name: 'Other', is_active: false }],
      );
    });

    it('clears what may be null and nothing else', async () => {
      await patch({ description: 'd', valid_to: LATER });
      expect((await patch({ description: null, valid_to: null })).body?.data).to.include({
        description: null,
        valid_to: null,
      });
      const answer = await patch({ name: null, is_active: null, valid_from: null, metadata: null });
      expectIssues(answer, [
        ['name', 'invalid_value'],
        ['is_active', 'invalid_value'],
        ['valid_from', 'invalid_value'],
        ['metadata', 'invalid_value'],
      ]);
      expect(answer.body?.error?.fields?.[0]?.message).to.equal(
        'name cannot be null; omit the field to leave unchanged, or provide a value',
      );
    });

    it('replaces metadata as a whole', async () => {
      await patch({ metadata: { a: 1, b: 2 } });
      expect((await patch({ metadata: { c: 3 } })).body?.data.metadata).to.deep.equal({ c: 3 });
      expect((await patch({ metadata: {} })).body?.data.metadata).to.deep.equal({});
    });

    it('changes nothing with a body that came from GET, however often and however fine the stored time', async () => {
      for (const value of ['z', 'a']) {
        await api.call({ method: 'POST', path: `${PATH}/${id}/tags`, json: { tag_type: 'rfid', value } });
      }
      await patch(undefined, {
        body: '{"valid_from":"2026-01-01T00:00:00.123456Z","metadata":{"b":1.10,"a":[2]}}',
      });
      const [before] = await api.database.rows('select * from assets where id = $1', [id]);
      const verbatim = (await api.call({ path: `${PATH}/${id}` })).text.slice('{"data":'.length, -1);
      const reordered = JSON.stringify({ tags: (await read()).tags.reverse() });
      for (const body of [verbatim, verbatim, reordered, '{}', '{"metadata":{"a":[2],"b":1.10}}']) {
        const answer = await patch(undefined, { body });
        expect(answer.status).to.equal(200);
        expect(answer.text).to.equal(`{"data":${verbatim}}`);
      }
      expect(await api.database.rows('select * from assets where id = $1', [id])).to.deep.equal([before]);
      await patch(undefined, { body: '{"metadata":{"a":[2],"b":1.1}}' });
      expect(await api.database.rows('select metadata from assets where id = $1', [id])).to.deep.equal([
        { metadata: '{"a":[2],"b":1.1}' },
      ]);
    });

    it('refuses other values of what is read-only, each in its place', async () => {
      const other = '2020-01-01T00:00:00Z';
      const answer = await patch({
        deleted_at: other,
        updated_at: other,
        created_at: null,
        tags: [],
        location_external_key: 'A',
        location_id: 'x',
        external_key: 5,
        id: id + 1,
        colour: 'red',
      });
      expectIssues(answer, [
        ['id', 'read_only'],
        ['external_key', 'read_only'],
        ['location_id', 'read_only'],
        ['location_external_key', 'read_only'],
        ['created_at', 'read_only'],
        ['updated_at', 'read_only'],
        ['deleted_at', 'read_only'],
        ['colour', 'unknown_field'],
      ]);
      expect(answer.body?.error?.fields?.[1]?.message).to.include('/rename');
      const { created_at } = await read();
      const shifted = new Date(Date.parse(created_at) + 7_200_000).toISOString().replace('Z', '+02:00');
      expect((await patch({ created_at: shifted, tags: [], deleted_at: null })).status).to.equal(200);
    });

    it('lets one of two win that echo the same updated_at', async () => {
      const { updated_at } = await read();
      const answers = await Promise.all(['a', 'b'].map((name) => patch({ name, updated_at })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    });

    it('advances updated_at on the wire at every change, also within a millisecond', async () => {
      const seen: string[] = [];
      for (let change = 0; change < 5; change++) {
        await api.database.rows(
          `update assets set updated_at = '2999-01-01Z'::timestamptz + $2 * interval '1 us' where id = $1`,
          [id, change],
        );
        seen.push((await patch({ name: `n${change}` })).body?.data.updated_at);
      }
      expect(seen).to.deep.equal(Array(5).fill('2999-01-01T00:00:00.001Z'));
    });

    it('refuses what is not an object, and the media type of POST', async () => {
      const notObject = 'Request body must be a JSON object (RFC 7396)';
      expectProblem(await patch(undefined, { body: 'null' }), 'bad_request', notObject);
      const wrongType = 'Request body could not be decoded as the expected type';
      expectProblem(await patch(undefined, { body: '[]' }), 'bad_request', wrongType);
      expectProblem(
        await patch({}, { headers: { 'Content-Type': 'application/json' } }),
        'unsupported_media_type',
        'Content-Type must be application/merge-patch+json on PATCH operations',
      );
    });

    it('needs assets:write and an asset of the organization', async () => {
      const { key } = await api.organization('Other');
      expectProblem(await patch({ name: 'x' }, { key }), 'not_found');
      expectProblem(await patch({ name: 'x' }, { key: await api.keyWith(['assets:read']) }), 'forbidden');
      expect((await read()).name).to.equal('Pump');
    });
  });

  describe('by rename', () => {
    it('changes the key and updated_at; the same key changes nothing', async () => {
      const before = await read();
      const { status, body } = await rename({ external_key: `NEW-${id}` });
      expect(status).to.equal(200);
      expect(body).to.deep.include({ descendant_count_affected: 0 });
      expect(body?.data.external_key).to.equal(`NEW-${id}`);
      expect(body?.data.updated_at > before.updated_at).to.equal(true);
      expect((await rename({ external_key: `NEW-${id}` })).body?.data).to.deep.equal(body?.data);
    });

    it('is 409 for the key of a live asset, and takes the key of a deleted one', async () => {
      const other = await make({ external_key: `TAKEN-${id}` });
      const taken = { external_key: `TAKEN-${id}` };
      expectProblem(await rename(taken), 'conflict', `asset with external_key TAKEN-${id} already exists`);
      await remove(other);
      expect((await rename(taken)).status).to.equal(200);
    });

    it('requires a key that can be one', async () => {
      expectIssues(await rename({}), [['external_key', 'required']]);
      expectIssues(await rename({ external_key: null }), [['external_key', 'invalid_value']]);
      expectIssues(await rename({ external_key: 'a b', x: 1 }), [
        ['external_key', 'invalid_value'],
        ['x', 'unknown_field'],
      ]);
      expectProblem(await rename({ external_key: 'A' }, 2147483647), 'not_found', 'Asset not found');
    });
  });

  describe('by DELETE', () => {
    it('hides it, frees its key and its tags, and is 404 the second time', async () => {
      const tags = [{ tag_type: 'rfid', value: `del-${id}` }];
      const external_key = `DEL-${id}`;
      const gone = await make({ external_key, tags });
      const { updated_at } = await read(gone);
      expect((await remove(gone)).status).to.equal(204);
      expectProblem(await remove(gone), 'not_found', 'Asset not found');
      expectProblem(await api.call({ path: `${PATH}/${gone}` }), 'not_found');
      const { body } = await api.call({ path: `${PATH}?include_deleted=true&external_key=${external_key}` });
      expect(body?.data[0]).to.deep.include({ id: gone, tags: [] });
      expect(body?.data[0].deleted_at).to.be.a('string');
      expect(body?.data[0].updated_at > updated_at).to.equal(true);
      expect(
        (await api.call({ method: 'POST', path: PATH, json: { name: 'n', external_key, tags } })).status,
      ).to.equal(201);
    });

    it('leaves no live tag on it, whoever attaches at the same time', async () => {
      for (let round = 0; round < 10; round++) {
        const target = await make();
        await Promise.all([
          remove(target),
          ...[1, 2, 3].map((n) =>
            api.call({
              method: 'POST',
              path: `${PATH}/${target}/tags`,
              json: { tag_type: 'barcode', value: `race-${target}-${n}` },
            }),
          ),
        ]);
        const live = await api.database.rows('select from tags where asset_id = $1 and detached_at is null', [
          target,
        ]);
        expect(live).to.deep.equal([]);
      }
    });

    it('needs assets:write and an asset of the organization', async () => {
      const { key } = await api.organization('Other');
      const call = { method: 'DELETE', path: `${PATH}/${id}` };
      expectProblem(await api.call({ ...call, key }), 'not_found');
      expectProblem(await api.call({ ...call, key: await api.keyWith(['assets:read']) }), 'forbidden');
      expect((await read()).deleted_at).to.equal(null);
    });
  });
});
