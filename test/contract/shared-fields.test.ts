import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, type Issue, RESOURCES, useClient } from '../support/contract-client.ts';

const ON_CREATE = 'cannot be null; omit the field to use the server default, or provide a value';
/** There is no server default of a name. */
const ON_CREATE_NAME = 'name cannot be null';
const ON_PATCH = 'cannot be null; omit the field to leave unchanged, or provide a value';
/** One control character of each kind: the first, around what is allowed, the last, and DEL. */
const CONTROLS = ['\u0000', '\u0008', '\u000b', '\u000c', '\u000e', '\u001f', '\u007f'];
const LIMITS = { name: 255, description: 1024 } as const;
const TEXTS = ['name', 'description'] as const;

describe('fields of both', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`fields of ${resource}`, () => {
      const client = useClient(server);
      let id: number;
      before(async () => {
        ({ id } = await client.make(resource));
      });

      /** Expects a create and a PATCH to refuse the same field for the same reason, and to leave everything. */
      const expectRefused = (json: object, issue: Issue) =>
        client.changingNothing(async () => {
          expectFields(await client.post(`/${resource}`, { name: 'Any', ...json }), [issue]);
          expectFields(await client.patch(`/${resource}/${id}`, json), [issue]);
        });

      it('need a name', async () => {
        expectFields(await client.post(`/${resource}`, {}), [
          { field: 'name', code: 'required', message: 'name is required' },
        ]);
      });

      for (const field of TEXTS) {
        const limit = LIMITS[field];

        it(`take a ${field} of 1 to ${limit} code points and give it back as it is`, async () => {
          const texts = [
            'x',
            '🔧'.repeat(limit),
            'e\u0301',
            ' blanks ',
            ' ',
            '\t\n\r',
            '\u0080\u009f\u00a0',
            'ﬁ\u200d\u2028\ufffe',
          ];
          for (const text of texts) {
            const made = await client.make(resource, { [field]: text });
            expect(made[field]).to.equal(text);
            await client.patch(`/${resource}/${id}`, { [field]: text });
            expect((await client.read(resource, id))[field]).to.equal(text);
          }
        });

        it(`refuse an empty ${field}`, async () => {
          const message = `${field} must be at least 1 character`;
          await expectRefused(
            { [field]: '' },
            { field, code: 'too_short', message, params: { min_length: 1 } },
          );
        });

        it(`refuse a ${field} of more than ${limit} code points`, async () => {
          const message = `${field} must be at most ${limit} characters`;
          for (const character of ['x', '🔧']) {
            const json = { [field]: character.repeat(limit + 1) };
            await expectRefused(json, { field, code: 'too_long', message, params: { max_length: limit } });
          }
        });

        it(`refuse control characters in a ${field}`, async () => {
          for (const control of CONTROLS) {
            const message = `${field} must not contain control characters`;
            await expectRefused({ [field]: `a${control}b` }, { field, code: 'invalid_value', message });
          }
        });
      }

      for (const field of ['name', 'is_active', 'valid_from'] as const) {
        it(`refuse null for ${field}`, async () => {
          await client.changingNothing(async () => {
            expectFields(await client.post(`/${resource}`, { name: 'Any', [field]: null }), [
              {
                field,
                code: 'invalid_value',
                message: field === 'name' ? ON_CREATE_NAME : `${field} ${ON_CREATE}`,
              },
            ]);
            expectFields(await client.patch(`/${resource}/${id}`, { [field]: null }), [
              { field, code: 'invalid_value', message: `${field} ${ON_PATCH}` },
            ]);
          });
        });
      }

      for (const [field, value] of [
        ['description', 'text'],
        ['valid_to', '2030-01-01T00:00:00.000Z'],
      ] as const) {
        it(`take null for ${field}, on create and to clear it`, async () => {
          const made = await client.make(resource, { [field]: null });
          expect(made[field]).to.equal(null);
          expect(
            (await client.patch(`/${resource}/${made.id}`, { [field]: value })).body?.data[field],
          ).to.equal(value);
          expect(
            (await client.patch(`/${resource}/${made.id}`, { [field]: null })).body?.data[field],
          ).to.equal(null);
        });
      }

      it('default to active, valid from the creation on, without end or description', async () => {
        const made = await client.make(resource);
        expect(made).to.include({ is_active: true, description: null, valid_to: null, deleted_at: null });
        expect(made.valid_from).to.equal(made.created_at);
        expect(made.updated_at).to.equal(made.created_at);
        expect(made.tags).to.deep.equal([]);
      });

      it('take their times from the clock of the database', async () => {
        const clock = async () =>
          (await client.api.database.rows<{ now: string }>('select clock_timestamp()::text as now'))[0]?.now;
        const earliest = await clock();
        const { id } = await client.make(resource);
        const sql = `select created_at between $2 and $3 and valid_from = created_at as ok from ${resource} where id = $1`;
        expect(await client.api.database.rows(sql, [id, earliest, await clock()])).to.deep.equal([
          { ok: true },
        ]);
      });

      it('are active or not', async () => {
        expect((await client.make(resource, { is_active: false })).is_active).to.equal(false);
        for (const is_active of [false, true]) {
          const { body } = await client.patch(`/${resource}/${id}`, { is_active });
          expect(body?.data.is_active).to.equal(is_active);
        }
      });

      for (const [valid_from, valid_to] of [
        ['2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
        ['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
      ] as const) {
        it(`may end ${valid_from === valid_to ? 'when' : 'before'} they begin`, async () => {
          const made = await client.make(resource, { valid_from, valid_to });
          expect(made).to.include({ valid_from, valid_to });
          expect(await client.read(resource, made.id)).to.include({ valid_from, valid_to });
        });
      }

      for (const [field, value] of [
        ['name', 5],
        ['name', ['a']],
        ['description', {}],
        ['is_active', 'true'],
        ['is_active', 1],
      ] as const) {
        it(`cannot be decoded with ${field} ${JSON.stringify(value)}`, async () => {
          const detail = `Body field "${field}" could not be decoded as the expected type`;
          await client.changingNothing(async () => {
            const created = await client.post(`/${resource}`, { name: 'Any', [field]: value });
            expectError(created, 400, 'bad_request', detail);
            expectError(
              await client.patch(`/${resource}/${id}`, { [field]: value }),
              400,
              'bad_request',
              detail,
            );
          });
        });
      }

      for (const field of ['id', 'created_at', 'updated_at', 'deleted_at']) {
        it(`cannot be created with ${field}`, async () => {
          for (const value of [null, 1, '2026-01-01T00:00:00Z']) {
            const answer = await client.post(`/${resource}`, { name: 'Any', [field]: value });
            expectFields(answer, [
              { field, code: 'unknown_field', message: `unknown field "${field}" in request body` },
            ]);
          }
        });
      }

      it('do not know other keys, however they are written', async () => {
        const unknown = [
          'Name',
          'NAME',
          'isActive',
          '',
          '__proto__',
          'constructor',
          'name ',
          'depth',
          'tree_path',
          '0',
        ];
        const body = `{"name":"Any",${unknown.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`;
        const answer = await client.post(`/${resource}`, undefined, { body });
        expectFields(
          answer,
          unknown.toSorted().map((field) => {
            return { field, code: 'unknown_field', message: `unknown field "${field}" in request body` };
          }),
        );
        const patched = await client.patch(`/${resource}/${id}`, undefined, {
          body: '{"__proto__":{},"toString":1}',
        });
        expectFields(patched, [
          { field: '__proto__', code: 'unknown_field' },
          { field: 'toString', code: 'unknown_field' },
        ]);
      });
    });
  }
});
