import { expect } from 'chai';
import type { Call } from '../support/api.ts';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const TOO_LARGE = `{"name":"${'x'.repeat(1_100_000)}"}`;

/** One step: what is mended, and the error that is then the first. */
type Step = [mended: Partial<Call>, status: number, type: string, codes?: [string, string][]];

describe('the order of checks', () => {
  const server = useApi();

  describe('a request with everything wrong', () => {
    const client = useClient(server);
    let asset: number;
    let location: number;
    let readOnly: string;
    before(async () => {
      ({ id: asset } = await client.make('assets', { external_key: 'TAKEN' }));
      ({ id: location } = await client.make('locations', { external_key: 'TAKEN' }));
      await client.make('locations', { tags: [{ tag_type: 'rfid', value: 'taken' }] });
      readOnly = await client.api.keyWith(['assets:read', 'locations:read']);
    });

    /** Mends one thing after the other and expects the next one to be the answer; nothing changes on the way. */
    async function walk(first: Call, steps: Step[]): Promise<Call> {
      let call = first;
      await client.changingNothing(async () => {
        for (const [mended, status, type, codes] of steps) {
          call = { ...call, ...mended };
          const answer = await client.api.call(call);
          if (codes === undefined) {
            expectError(answer, status, type);
          } else {
            expectFields(
              answer,
              codes.map(([field, code]) => ({ field, code })),
            );
          }
        }
      });
      return call;
    }

    it('is told so stage by stage, by PATCH /locations/{location_id}', async () => {
      const path = (id: number, query = '') => `/api/v1/locations/${id}${query}`;
      const wrong = { headers: { 'Content-Type': 'text/plain' }, body: TOO_LARGE, key: null };
      const last = await walk({ method: 'PUT', path: `${path(0)}/nowhere?x=1`, ...wrong }, [
        [{}, 404, 'not_found'],
        [{ path: path(0, '?x=1') }, 405, 'method_not_allowed'],
        [{ method: 'PATCH' }, 401, 'unauthorized'],
        [{ key: readOnly }, 403, 'forbidden'],
        [{ key: client.api.key }, 415, 'unsupported_media_type'],
        [{ headers: {} }, 400, 'validation_error', [['x', 'unknown_field']]],
        [{ path: path(0) }, 400, 'validation_error', [['location_id', 'too_small']]],
        [{ path: path(2147483647) }, 404, 'not_found'],
        [{ path: path(location) }, 413, 'payload_too_large'],
        [{ body: '{' }, 400, 'bad_request'],
        [{ body: '{"name":"","is_active":1,"parent_id":2147483647}' }, 400, 'bad_request'],
        [{ body: '{"name":"","parent_id":2147483647}' }, 400, 'validation_error', [['name', 'too_short']]],
        [
          { body: '{"name":"x","parent_id":2147483647}' },
          400,
          'validation_error',
          [['parent_id', 'fk_not_found']],
        ],
        [{ body: `{"name":"x","parent_id":${location}}` }, 409, 'conflict'],
      ]);
      expect((await client.api.call({ ...last, body: '{"name":"x"}' })).status).to.equal(200);
    });

    it('is told so stage by stage, by POST /locations', async () => {
      const tags = '"tags":[{"tag_type":"rfid","value":"taken"}]';
      const path = '/api/v1/locations';
      await walk(
        { method: 'POST', path: `${path}?x=1`, body: '[', key: null, headers: { 'Content-Type': 'a/b' } },
        [
          [{}, 401, 'unauthorized'],
          [{ key: readOnly }, 403, 'forbidden'],
          [{ key: client.api.key }, 415, 'unsupported_media_type'],
          [{ headers: {} }, 400, 'validation_error', [['x', 'unknown_field']]],
          [{ path }, 400, 'bad_request'],
          [
            { body: `{"external_key":"TAKEN","parent_external_key":"NONE","zz":1,${tags}}` },
            400,
            'validation_error',
            [
              ['name', 'required'],
              ['zz', 'unknown_field'],
            ],
          ],
          [
            { body: `{"name":"x","external_key":"TAKEN","parent_external_key":"NONE",${tags}}` },
            400,
            'validation_error',
            [['parent_external_key', 'fk_not_found']],
          ],
          [{ body: `{"name":"x","external_key":"TAKEN","parent_external_key":"TAKEN"}` }, 409, 'conflict'],
          [{ body: `{"name":"x",${tags}}` }, 409, 'conflict'],
        ],
      );
    });

    it('is told so stage by stage, by rename and by attaching a tag', async () => {
      for (const [path, fields, conflict] of [
        ['rename', '{"external_key":""}', '{"external_key":"TAKEN"}'],
        ['tags', '{"tag_type":"nfc","value":"x"}', '{"tag_type":"rfid","value":"taken"}'],
      ] as const) {
        const { id } = await client.make('assets');
        const at = (target: number, query = '') => `/api/v1/assets/${target}/${path}${query}`;
        await walk({ method: 'POST', path: at(0, '?x=1'), body: '{', headers: { 'Content-Type': 'a/b' } }, [
          [{}, 415, 'unsupported_media_type'],
          [{ headers: {} }, 400, 'validation_error', [['x', 'unknown_field']]],
          [{ path: at(0) }, 400, 'validation_error', [['asset_id', 'too_small']]],
          [{ path: at(2147483647) }, 404, 'not_found'],
          [{ path: at(id) }, 400, 'bad_request'],
          [
            { body: fields },
            400,
            'validation_error',
            [
              [
                path === 'tags' ? 'tag_type' : 'external_key',
                path === 'tags' ? 'invalid_value' : 'too_short',
              ],
            ],
          ],
          [{ body: conflict }, 409, 'conflict'],
        ]);
      }
    });

    it('is told so stage by stage, by reads and deletes', async () => {
      for (const [method, path] of [
        ['GET', '/assets/<id>'],
        ['GET', '/assets/<id>/history'],
        ['DELETE', '/assets/<id>'],
        ['DELETE', '/assets/<id>/tags/1'],
      ] as const) {
        const at = (id: number, query = '') => `/api/v1${path.replace('<id>', `${id}`)}${query}`;
        await walk({ method, path: at(0, '?x=1'), key: null }, [
          [{}, 401, 'unauthorized'],
          [{ key: await client.api.keyWith([]) }, 403, 'forbidden'],
          [{ key: client.api.key }, 400, 'validation_error', [['x', 'unknown_field']]],
          [{ path: at(0) }, 400, 'validation_error', [['asset_id', 'too_small']]],
          [{ path: at(2147483647) }, 404, 'not_found'],
        ]);
      }
    });

    it('hears of all violations of one stage together, always in the same order, unknown ones last', async () => {
      const find = async (query: string) => {
        const { body } = await client.get(`/assets/${asset}/history?${query}`);
        return body?.error?.fields?.map(({ field, code }) => `${field} ${code}`) ?? [];
      };
      const found = await find('from=x&to=y&limit=0&offset=-1&sort=z&b=1&a=1');
      expect(found).to.have.members([
        'from invalid_value',
        'to invalid_value',
        'limit too_small',
        'offset too_small',
        'sort invalid_value',
        'a unknown_field',
        'b unknown_field',
      ]);
      expect(found.slice(5)).to.deep.equal(['a unknown_field', 'b unknown_field']);
      expect(await find('a=1&b=1&sort=z&offset=-1&limit=0&to=y&from=x')).to.deep.equal(found);
    });
  });

  describe('a path', () => {
    const client = useClient(server);

    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/',
      '/api/v2/assets',
      '/api/v1/assets/',
      '/api/v1/assets/1/',
      '/api/v1//assets',
      '/api/v1/ASSETS',
      '/api/v1/asset',
      '/api/v1/tags',
      '/api/v1/orgs',
      '/api/v1/orgs/1',
      '/api/v1/reports',
      '/api/v1/scans',
      '/api/v1/assets/1/tags/1/x',
      '/api/v1/assets/1/descendants',
      '/api/v1/locations/1/history',
      '/api/v1/locations/bulk/1',
    ]) {
      it(`is unknown if it is ${path}, with and without a credential`, async () => {
        for (const key of [null, client.api.key, 'tt_wrong']) {
          const answer = await client.api.call({ path: `${path}?limit=x`, key });
          expectError(answer, 404, 'not_found', `Unknown API route: ${path}`);
          expect(answer.headers.get('www-authenticate')).to.equal(null);
        }
      });
    }
  });
});
