import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

const SERVER = /submit the current value or omit/;
const READ_ONLY = {
  id: /^id .*server-assigned.*submit the current value or omit/,
  created_at: /^created_at .*server-managed.*submit the current value or omit/,
  updated_at: /^updated_at .*server-managed.*submit the current value or omit/,
  deleted_at: /^deleted_at .*use DELETE to soft-delete; submit the current value or omit/,
  tags: /tag.*attach.*detach/,
};

describe('PATCH', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`PATCH of ${resource}`, () => {
      const client = useClient(server);
      const tags = [
        { tag_type: 'rfid', value: 'patch-1' },
        { tag_type: 'ble', value: 'patch-2' },
      ];
      let id: number;
      let at: string;
      before(async () => {
        ({ id } = await client.make(resource, { external_key: 'PATCHED', description: 'text', tags }));
        at = `/${resource}/${id}`;
      });
      const current = () => client.read(resource, id);

      it('sets what is given and leaves the rest', async () => {
        const before = await current();
        for (const json of [
          { name: 'Other' },
          { description: 'other' },
          { is_active: false },
          { valid_from: '2026-01-01T00:00:00.000Z' },
          { valid_to: '2030-01-01T00:00:00.000Z' },
          ...(resource === 'assets' ? [{ metadata: { a: 1 } }] : []),
        ]) {
          const was = await current();
          const { status, body } = await client.patch(at, json);
          expect(status).to.equal(200);
          expect(Object.keys(body ?? {})).to.deep.equal(['data']);
          expect(body?.data).to.deep.equal({ ...was, ...json, updated_at: body?.data.updated_at });
          expect(body?.data.updated_at > was.updated_at).to.equal(true);
          expect(await current()).to.deep.equal(body?.data);
        }
        expect((await current()).created_at).to.equal(before.created_at);
      });

      it('changes nothing with {}, with what came from GET, or with any part of that, however often', async () => {
        const before = await current();
        await client.changingNothing(async () => {
          for (const json of [
            {},
            before,
            before,
            ...Object.entries(before).map(([key, value]) => ({ [key]: value })),
          ]) {
            const { status, body } = await client.patch(at, json);
            expect(status).to.equal(200);
            expect(body?.data).to.deep.equal(before);
          }
        });
      });

      it('keeps the microseconds that the wire does not show, and compares by the wire', async () => {
        const [stored] = await client.api.database.rows<{ id: number }>(
          `insert into ${resource} (org_id, external_key, name, valid_from, valid_to, created_at, updated_at)
         values ($1, 'MICRO', 'Micro', '2026-01-01T00:00:00.123999Z', '2030-01-01T00:00:00.000001Z',
           '2026-01-01T00:00:00.999999Z', '2026-01-01T00:00:00.999999Z') returning id`,
          [client.api.orgId],
        );
        const micro = await client.read(resource, stored?.id ?? 0);
        expect(micro).to.include({
          valid_from: '2026-01-01T00:00:00.123Z',
          valid_to: '2030-01-01T00:00:00.000Z',
        });
        await client.changingNothing(async () => {
          for (let round = 0; round < 3; round++) {
            expect((await client.patch(`/${resource}/${micro.id}`, micro)).body?.data).to.deep.equal(micro);
          }
        });
        await client.patch(`/${resource}/${micro.id}`, { ...micro, name: 'Changed' });
        const times = await client.api.database.rows(
          `select valid_from::text, valid_to::text from ${resource} where id = $1`,
          [micro.id],
        );
        expect(times).to.deep.equal([
          { valid_from: '2026-01-01 00:00:00.123999+00', valid_to: '2030-01-01 00:00:00.000001+00' },
        ]);
        const later = await client.patch(`/${resource}/${micro.id}`, {
          valid_from: '2026-01-01T00:00:00.124Z',
        });
        expect(later.body?.data.valid_from).to.equal('2026-01-01T00:00:00.124Z');
      });

      it('advances updated_at with every change, however fast they follow', async () => {
        const seen = [(await current()).updated_at];
        for (let round = 0; round < 30; round++) {
          seen.push((await client.patch(at, { name: `Round ${round}` })).body?.data.updated_at);
        }
        const renamed = await client.post(`${at}/rename`, { external_key: 'RENAMED' });
        seen.push(renamed.body?.data.updated_at);
        await client.post(`${at}/rename`, { external_key: 'PATCHED' });
        expect(seen).to.deep.equal([...new Set(seen)].toSorted());
      });

      it('also when the row is already ahead of the clock', async () => {
        const made = await client.make(resource);
        await client.api.database.rows(
          `update ${resource} set updated_at = date_trunc('second', now()) + interval '1 hour 999 microseconds' where id = $1`,
          [made.id],
        );
        const ahead = await client.read(resource, made.id);
        const { body } = await client.patch(`/${resource}/${made.id}`, { name: 'Later' });
        expect(body?.data.updated_at > ahead.updated_at).to.equal(true);
        await client.remove(`/${resource}/${made.id}`);
        const list = await client.get(`/${resource}?include_deleted=true&external_key=${made.external_key}`);
        expect(list.body?.data[0].updated_at > body?.data.updated_at).to.equal(true);
      });

      it('refuses a read-only field of another value, naming the way it is changed', async () => {
        const now = await current();
        const other: [keyof typeof READ_ONLY, unknown[]][] = [
          ['id', [id + 1, `${id}`, null, 1.5, {}]],
          ['created_at', ['2026-01-01T00:00:00Z', null, 5, 'x', '']],
          ['updated_at', ['2026-01-01T00:00:00Z', now.created_at, null, true]],
          ['deleted_at', ['2026-01-01T00:00:00Z', false, '']],
          ['tags', [[], now.tags.slice(0, 1), [...now.tags, ...now.tags], null, {}, 'x', tags]],
        ];
        for (const [field, values] of other) {
          for (const value of values) {
            await client.changingNothing(async () => {
              const answer = await client.patch(at, { name: 'Changed', [field]: value });
              expectFields(answer, [{ field, code: 'read_only', message: READ_ONLY[field] }]);
            });
          }
        }
        const message = new RegExp(`POST /api/v1/${resource}/(${id}|\\{\\w+\\})/rename`);
        for (const external_key of ['OTHER', 'patched', null, '', 'a b', 5]) {
          await client.changingNothing(async () => {
            const answer = await client.patch(at, { name: 'Changed', external_key });
            expectFields(answer, [{ field: 'external_key', code: 'read_only', message }]);
          });
        }
      });

      it('accepts the current instant of a read-only time in any RFC 3339 form', async () => {
        const { created_at, updated_at } = await current();
        const inOffset = (instant: string) =>
          new Date(Date.parse(instant) + 19_800_000).toISOString().replace('Z', '000000+05:30');
        await client.changingNothing(async () => {
          for (const json of [
            { created_at: inOffset(created_at), updated_at: inOffset(updated_at) },
            { created_at: created_at.replace('Z', '+00:00'), updated_at: updated_at.replace('Z', '-00:00') },
            { created_at: created_at.toLowerCase(), deleted_at: null },
          ]) {
            const answer = await client.patch(at, json);
            expect(answer.status, answer.text).to.equal(200);
          }
        });
      });

      it('accepts the current tags in any order', async () => {
        const { tags } = await current();
        await client.changingNothing(async () => {
          expect((await client.patch(at, { tags: tags.toReversed() })).status).to.equal(200);
        });
      });

      it('refuses tags of which one is not as it is, in any part of it', async () => {
        const { tags } = await current();
        const [first, ...others] = tags;
        await client.changingNothing(async () => {
          for (const other of [{ value: 'other' }, { tag_type: 'ble' }, { id: 2147483647 }, { more: 1 }]) {
            const answer = await client.patch(at, { tags: [{ ...first, ...other }, ...others] });
            expectFields(answer, [{ field: 'tags', code: 'read_only' }]);
          }
        });
      });

      it('refuses everything that is wrong at once, in the order of the fields, unknown ones last', async () => {
        const json = {
          zeta: 1,
          alpha: 1,
          updated_at: null,
          tags: [],
          name: '',
          description: '',
          external_key: 'X',
          id: 0,
        };
        const answer = await client.changingNothing(() => client.patch(at, json));
        expectFields(answer, [
          { field: 'id', code: 'read_only', message: SERVER },
          { field: 'external_key', code: 'read_only' },
          { field: 'name', code: 'too_short' },
          { field: 'description', code: 'too_short' },
          { field: 'tags', code: 'read_only' },
          { field: 'updated_at', code: 'read_only' },
          { field: 'alpha', code: 'unknown_field' },
          { field: 'zeta', code: 'unknown_field' },
        ]);
      });

      it('refuses null and what is no object', async () => {
        const patch = (body: string) => client.patch(at, undefined, { body });
        await client.changingNothing(async () => {
          const isNull = 'Request body must be a JSON object (RFC 7396)';
          expectError(await patch('null'), 400, 'bad_request', isNull);
          expectError(await patch(' null\n'), 400, 'bad_request', isNull);
          for (const body of ['[]', '5', '"x"', 'true', '[{"name":"x"}]']) {
            const detail = 'Request body could not be decoded as the expected type';
            expectError(await patch(body), 400, 'bad_request', detail);
          }
        });
      });
    });
  }

  describe('PATCH of metadata', () => {
    const client = useClient(server);

    it('replaces the whole, and {} clears it', async () => {
      const { id } = await client.make('assets', { metadata: { a: { b: 1, c: 2 }, d: 3 } });
      for (const metadata of [{ a: { b: null } }, { x: null }, {}, { a: {} }]) {
        expect((await client.patch(`/assets/${id}`, { metadata })).body?.data.metadata).to.deep.equal(
          metadata,
        );
      }
    });

    it('is no change with the same digits, blanks aside', async () => {
      const metadata = '{"n":1.10,"big":12345678901234567890,"o":{"a":1,"b":[1,2]}}';
      const body = `{"name":"m","metadata":${metadata}}`;
      const { body: made } = await client.post('/assets', undefined, { body });
      const patch = (json: string) =>
        client.patch(`/assets/${made?.data.id}`, undefined, { body: `{"metadata":${json}}` });
      await client.changingNothing(() => patch(metadata));
      await client.changingNothing(() => patch(metadata.replaceAll(':', ' :\n')));
      const changed = await patch('{"n":1.10,"big":12345678901234567891,"o":{"a":1,"b":[1,2]}}');
      expect(changed.body?.data.updated_at > made?.data.updated_at).to.equal(true);
      expect(changed.text).to.include('12345678901234567891');
    });
  });
});
