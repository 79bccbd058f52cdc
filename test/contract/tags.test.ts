import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import {
  expectError,
  expectFields,
  RESOURCES,
  SINGULAR,
  TITLE,
  useClient,
} from '../support/contract-client.ts';

const TYPES = ['rfid', 'ble', 'barcode'];
const BAD_TYPE = 'tag_type must be one of: rfid, ble, barcode';

describe('tags', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`tags of ${resource}`, () => {
      const client = useClient(server);
      let id: number;
      let path: string;
      before(async () => {
        ({ id } = await client.make(resource, { external_key: 'MAIN' }));
        path = `/${resource}/${id}/tags`;
      });

      it('are attached with 201, the address of the tag, and its record', async () => {
        for (const tag_type of TYPES) {
          const { status, headers, body } = await client.post(path, { value: 'plain', tag_type });
          expect(status).to.equal(201);
          expect(Object.keys(body ?? {})).to.deep.equal(['data']);
          expect(Object.keys(body?.data)).to.deep.equal(['id', 'tag_type', 'value']);
          expect(body?.data).to.include({ tag_type, value: 'plain' });
          expect(body?.data.id).to.satisfy(Number.isInteger);
          expect(headers.get('location')).to.equal(`/api/v1${path}/${body?.data.id}`);
        }
      });

      it('are listed in the order of their ids, and do not move updated_at', async () => {
        const made = await client.make(resource, { tags: [{ tag_type: 'rfid', value: 'order-z' }] });
        for (const value of ['order-b', 'order-a']) {
          await client.post(`/${resource}/${made.id}/tags`, { tag_type: 'ble', value });
        }
        const shown = await client.read(resource, made.id);
        expect(shown.tags.map(({ value }) => value)).to.deep.equal(['order-z', 'order-b', 'order-a']);
        expect(shown.tags.map((tag) => tag.id)).to.deep.equal(
          shown.tags.map((tag) => tag.id).toSorted((a, b) => a - b),
        );
        expect(shown.updated_at).to.equal(made.updated_at);
        await client.remove(`/${resource}/${made.id}/tags/${shown.tags[1]?.id}`);
        const left = await client.read(resource, made.id);
        expect(left).to.deep.equal({ ...shown, tags: [shown.tags[0], shown.tags[2]] });
      });

      for (const value of [
        'x',
        '🔧'.repeat(255),
        ' ',
        ' E2 80 ',
        '\t\r\n',
        'ü.b_c/d:e',
        '\u0080',
        '\u00a0',
        '0',
        '000',
        '--',
        ': -',
        '%_\\',
        '"\'`;',
      ]) {
        it(`have the value ${JSON.stringify(value.slice(0, 9))} exactly as it was sent`, async () => {
          for (const tag_type of TYPES) {
            const attached = await client.post(path, { tag_type, value });
            expect(attached.status, attached.text).to.equal(201);
            expect(attached.body?.data.value).to.equal(value);
            const { tags } = await client.read(resource, id);
            expect(tags).to.deep.include({ id: attached.body?.data.id, tag_type, value });
          }
        });
      }

      it('may have FNC1 in a barcode, between two GS1 elements', async () => {
        const value = '010400638133393110LOT\u001d21ABC';
        const attached = await client.post(path, { tag_type: 'barcode', value });
        expect(attached.status, attached.text).to.equal(201);
        expect(attached.body?.data.value).to.equal(value);
      });

      it('are told apart by every character of the value, letter case and blanks included', async () => {
        for (const value of ['e280aa', 'E280AA', 'E2-80-AA', 'E280AA ', '00E280AA', '0e280aa']) {
          expect((await client.post(path, { tag_type: 'rfid', value })).status).to.equal(201);
        }
      });

      for (const [json, field, code, message, params] of [
        [{ value: 'v' }, 'tag_type', 'required', 'tag_type is required', undefined],
        [{ tag_type: null, value: 'v' }, 'tag_type', 'required', 'tag_type is required', undefined],
        [{ tag_type: 'nfc', value: 'v' }, 'tag_type', 'invalid_value', BAD_TYPE, { allowed_values: TYPES }],
        [{ tag_type: 'RFID', value: 'v' }, 'tag_type', 'invalid_value', BAD_TYPE, { allowed_values: TYPES }],
        [{ tag_type: '', value: 'v' }, 'tag_type', 'invalid_value', BAD_TYPE, undefined],
        [{ tag_type: 'constructor', value: 'v' }, 'tag_type', 'invalid_value', BAD_TYPE, undefined],
        [{ tag_type: 'rfid' }, 'value', 'required', 'value is required', undefined],
        [{ tag_type: 'rfid', value: null }, 'value', 'invalid_value', 'value cannot be null', undefined],
        [{ tag_type: 'rfid', value: '' }, 'value', 'too_short', /at least 1 character$/, { min_length: 1 }],
        [
          { tag_type: 'rfid', value: 'x'.repeat(256) },
          'value',
          'too_long',
          /at most 255/,
          { max_length: 255 },
        ],
        [
          { tag_type: 'ble', value: '🔧'.repeat(256) },
          'value',
          'too_long',
          /at most 255/,
          { max_length: 255 },
        ],
        [{ tag_type: 'rfid', value: 'v', id: 5 }, 'id', 'unknown_field', /"id" in request body$/, undefined],
        [{ tag_type: 'rfid', value: 'v', type: 'x' }, 'type', 'unknown_field', /"type"/, undefined],
        ...[
          ...['\u0000', '\u0001', '\u0008', '\u000b', '\u000c', '\u000e', '\u001d', '\u001f', '\u007f'].map(
            (control) => ({ tag_type: 'rfid', value: `a${control}` }),
          ),
          ...['\u0000', '\u001c', '\u001e'].map((control) => ({ tag_type: 'barcode', value: `a${control}` })),
        ].map((tag) => {
          const message = 'value must not contain control characters';
          return [tag, 'value', 'invalid_value', message, undefined] as const;
        }),
      ] as const) {
        it(`are not attached by ${JSON.stringify(json).slice(0, 50)}`, async () => {
          await client.changingNothing(async () => {
            const issue = { field, code, message, ...(params && { params }) };
            expectFields(await client.post(path, json), [issue]);
          });
        });

        it(`are not created by ${JSON.stringify(json).slice(0, 50)}`, async () => {
          await client.changingNothing(async () => {
            const answer = await client.post(`/${resource}`, { name: 'Any', tags: [json] });
            expect(answer.status).to.equal(400);
            expect(answer.body?.error?.fields?.map((issue) => issue.code)).to.deep.equal([code]);
            expect(answer.body?.error?.fields?.[0]?.field).to.match(new RegExp(`^tags.*${field}$`));
          });
        });
      }

      it('need both of their fields', async () => {
        expectFields(await client.post(path, {}), [
          { field: 'tag_type', code: 'required' },
          { field: 'value', code: 'required' },
        ]);
      });

      it('are not decoded from other types', async () => {
        for (const [json, field] of [
          [{ tag_type: 5, value: 'v' }, 'tag_type'],
          [{ tag_type: 'rfid', value: 5 }, 'value'],
        ] as const) {
          const detail = `Body field "${field}" could not be decoded as the expected type`;
          expectError(await client.post(path, json), 400, 'bad_request', detail);
          expectError(await client.post(`/${resource}`, { name: 'Any', tags: [json] }), 400, 'bad_request');
        }
        for (const tags of [{}, 'x', 5, [null], ['x'], [[]]]) {
          expectError(await client.post(`/${resource}`, { name: 'Any', tags }), 400, 'bad_request');
        }
      });

      it('are attached once, whatever has them, and again when they are detached', async () => {
        const tag = { tag_type: 'ble', value: 'once' };
        const other = resource === 'assets' ? 'locations' : 'assets';
        const holder = await client.make(other, { tags: [tag] });
        const detail = 'tag ble:once already exists';
        await client.changingNothing(async () => {
          expectError(await client.post(path, tag), 409, 'conflict', detail);
          expectError(await client.post(`/${other}/${holder.id}/tags`, tag), 409, 'conflict', detail);
          expectError(
            await client.post(`/${resource}`, { name: 'Any', tags: [tag] }),
            409,
            'conflict',
            detail,
          );
        });
        expect((await client.post(path, { ...tag, tag_type: 'rfid' })).status).to.equal(201);
        const { key } = await client.api.organization('Other');
        await client.make(resource, { tags: [tag] }, { key });
        await client.remove(`/${other}/${holder.id}/tags/${holder.tags[0]?.id}`);
        expect((await client.post(path, tag)).status).to.equal(201);
      });

      it('are all created with their parent, or nothing is', async () => {
        const tags = TYPES.map((tag_type) => ({ tag_type, value: 'all' }));
        const made = await client.make(resource, { tags });
        expect(made.tags.map(({ tag_type, value }) => ({ tag_type, value }))).to.deep.equal(tags);
        const fresh = { tag_type: 'rfid', value: 'fresh' };
        for (const list of [
          [fresh, fresh],
          [fresh, ...tags],
          [{ tag_type: 'ble', value: 'x' }, fresh, fresh],
        ]) {
          await client.changingNothing(async () => {
            expectError(
              await client.post(`/${resource}`, { name: 'Any', tags: list }),
              409,
              'conflict',
              /already exists$/,
            );
          });
        }
        expectFields(await client.post(`/${resource}`, { name: 'Any', tags: null }), [
          { field: 'tags', code: 'invalid_value' },
        ]);
      });

      it('are detached once with 204, and only from what has them', async () => {
        const holder = await client.make(resource, { tags: [{ tag_type: 'rfid', value: 'held' }] });
        const tagId = holder.tags[0]?.id;
        const detail = `Tag not found on this ${SINGULAR[resource]}`;
        const other = resource === 'assets' ? 'locations' : 'assets';
        const stranger = await client.make(other);
        await client.changingNothing(async () => {
          expectError(await client.remove(`${path}/${tagId}`), 404, 'not_found', detail);
          expectError(await client.remove(`${path}/2147483647`), 404, 'not_found', detail);
          const elsewhere = await client.remove(`/${other}/${stranger.id}/tags/${tagId}`);
          expectError(elsewhere, 404, 'not_found');
        });
        const detached = await client.remove(`/${resource}/${holder.id}/tags/${tagId}`);
        expect([detached.status, detached.text]).to.deep.equal([204, '']);
        expectError(await client.remove(`/${resource}/${holder.id}/tags/${tagId}`), 404, 'not_found', detail);
      });

      it('are neither attached to nor detached from what is not there', async () => {
        const gone = await client.make(resource, { tags: [{ tag_type: 'rfid', value: 'gone' }] });
        await client.remove(`/${resource}/${gone.id}`);
        for (const parent of [gone.id, 2147483647]) {
          const at = `/${resource}/${parent}/tags`;
          const attached = await client.post(at, { tag_type: 'rfid', value: 'new' });
          expectError(attached, 404, 'not_found', `${TITLE[resource]} not found`);
          expectError(await client.remove(`${at}/${gone.tags[0]?.id}`), 404, 'not_found');
        }
      });

      it('leave with their deleted parent, and can be attached at once', async () => {
        const tag = { tag_type: 'barcode', value: 'freed' };
        const gone = await client.make(resource, { external_key: 'FREED', tags: [tag] });
        await client.remove(`/${resource}/${gone.id}`);
        const { body } = await client.get(`/${resource}?external_key=FREED&include_deleted=true`);
        expect(body?.data[0].tags).to.deep.equal([]);
        expect((await client.post(path, tag)).status).to.equal(201);
      });

      it('have no address to be read at', async () => {
        for (const at of [path, `${path}/1`]) {
          expect((await client.get(at)).status).to.equal(405);
        }
        expect((await client.get('/tags')).status).to.equal(404);
      });
    });
  }
});
