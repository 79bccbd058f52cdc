import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

const ACCEPTED: Record<string, string> = {
  '2026-01-02T03:04:05Z': '2026-01-02T03:04:05.000Z',
  '2026-01-02T03:04:05.1Z': '2026-01-02T03:04:05.100Z',
  '2026-01-02T03:04:05.123456789Z': '2026-01-02T03:04:05.123Z',
  '2026-01-02T03:04:05.999999999Z': '2026-01-02T03:04:05.999Z',
  '2026-01-02T03:04:05.0009Z': '2026-01-02T03:04:05.000Z',
  '2026-01-02T03:04:05+02:00': '2026-01-02T01:04:05.000Z',
  '2026-01-02T03:04:05-11:30': '2026-01-02T14:34:05.000Z',
  '2026-01-02T03:04:05-00:00': '2026-01-02T03:04:05.000Z',
  '2026-01-01T00:00:00+23:59': '2025-12-31T00:01:00.000Z',
  '2026-12-31T23:59:59.5-23:59': '2027-01-01T23:58:59.500Z',
  '2026-01-02t03:04:05z': '2026-01-02T03:04:05.000Z',
  '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z': '1969-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.1234567Z': '1969-12-31T23:59:59.123Z',
  '1970-01-01T00:00:00.001Z': '1970-01-01T00:00:00.001Z',
  '1969-12-31T23:59:59.999999Z': '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00+01:00': '1969-12-31T23:00:00.000Z',
  '0001-01-01T00:00:01Z': '0001-01-01T00:00:01.000Z',
  '0099-06-01T00:00:00Z': '0099-06-01T00:00:00.000Z',
  '1582-10-10T00:00:00Z': '1582-10-10T00:00:00.000Z',
  '9999-12-31T23:59:59.999999Z': '9999-12-31T23:59:59.999Z',
};

const REFUSED = [
  '',
  ' ',
  '2026-01-02',
  '2026/01/02',
  '2026/01/02T03:04:05Z',
  '20260102T030405Z',
  '2026-01-02T03:04:05',
  '2026-01-02T03:04Z',
  '2026-01-02T03:04:05.Z',
  '2026-01-02T03:04:05,5Z',
  '2026-01-02T03:04:05.1234567890Z',
  '2026-01-02T03:04:05+0200',
  '2026-01-02T03:04:05+02',
  '2026-01-02T03:04:05+24:00',
  '2026-01-02T03:04:05+02:60',
  '2026-01-02T24:00:00Z',
  '2026-01-02T03:60:00Z',
  '2026-01-02T03:04:61Z',
  '2026-00-02T03:04:05Z',
  '2026-13-02T03:04:05Z',
  '2026-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '+002026-01-02T03:04:05Z',
  '12026-01-02T03:04:05Z',
  '2026-1-2T03:04:05Z',
  ' 2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05Z\n',
  '2026-01-02T03:04:05ZZ',
  '２026-01-02T03:04:05Z',
  'now',
  'infinity',
  'epoch',
  '1767323045',
];

const SENTINELS: Record<string, readonly string[]> = {
  '1970-01-01T00:00:00Z': [
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:00.000000000Z',
    '1970-01-01T02:00:00+02:00',
    '1969-12-31T12:30:00-11:30',
    '1970-01-01T00:00:00-00:00',
    '1970-01-01T00:00:00.000001Z',
    '1970-01-01T00:00:00.0009999Z',
    '1970-01-01T01:00:00.0005+01:00',
  ],
  '0001-01-01T00:00:00Z': [
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00.0Z',
    '0001-01-01T05:30:00+05:30',
    '0000-12-31T23:00:00-01:00',
    '0001-01-01T00:00:00.000001Z',
    '0001-01-01T00:00:00.000999Z',
  ],
};

const DELETE_DETAIL = 'use JSON null to leave the field unset';

describe('timestamps', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`timestamps of ${resource}`, () => {
      const client = useClient(server);
      let id: number;
      before(async () => {
        ({ id } = await client.make(resource));
      });

      it('are read in any RFC 3339 form and shown in UTC with three digits', async () => {
        for (const [text, shown] of Object.entries(ACCEPTED)) {
          const created = await client.post(`/${resource}`, {
            name: 'Any',
            valid_from: text,
            valid_to: text,
          });
          expect(created.status, `${text}: ${created.text}`).to.equal(201);
          expect(created.body?.data, text).to.include({ valid_from: shown, valid_to: shown });
          const patched = await client.patch(`/${resource}/${id}`, { valid_from: text, valid_to: text });
          expect(patched.body?.data, text).to.include({ valid_from: shown, valid_to: shown });
          expect(await client.read(resource, id), text).to.include({ valid_from: shown, valid_to: shown });
        }
      });

      it('are refused in every other form', async () => {
        for (const text of REFUSED) {
          const issues = ['valid_from', 'valid_to'].map((field) => ({
            field,
            code: 'invalid_value',
            message: `${field} must be an RFC 3339 timestamp`,
          }));
          const json = { valid_from: text, valid_to: text };
          await client.changingNothing(async () => {
            expectFields(await client.post(`/${resource}`, { name: 'Any', ...json }), issues);
            expectFields(await client.patch(`/${resource}/${id}`, json), issues);
          });
        }
      });

      it('are refused with the same message if they are of another JSON type', async () => {
        for (const value of [0, 1767323045, true, {}, ['2026-01-02T03:04:05Z']]) {
          for (const field of ['valid_from', 'valid_to']) {
            const message = `${field} must be an RFC 3339 timestamp`;
            const issue = { field, code: 'invalid_value', message };
            expectFields(await client.post(`/${resource}`, { name: 'Any', [field]: value }), [issue]);
            expectFields(await client.patch(`/${resource}/${id}`, { [field]: value }), [issue]);
          }
        }
      });

      for (const [instant, forms] of Object.entries(SENTINELS)) {
        it(`are not the default-value sentinel ${instant}, in any offset`, async () => {
          for (const text of forms) {
            for (const field of ['valid_from', 'valid_to']) {
              const message = `${field} must not be a default-value sentinel (${instant}); ${DELETE_DETAIL}`;
              const issue = { field, code: 'invalid_value', message };
              await client.changingNothing(async () => {
                expectFields(await client.post(`/${resource}`, { name: 'Any', [field]: text }), [issue]);
                expectFields(await client.patch(`/${resource}/${id}`, { [field]: text }), [issue]);
              });
            }
          }
        });
      }

      for (const text of [
        '9999-12-31T23:59:59-01:00',
        '0001-01-01T00:00:00+00:01',
        '0000-01-01T00:00:00Z',
        '2016-12-31T23:59:60Z',
      ]) {
        it(`at the rim as ${text} are answered with 201 or 400, and shown in the one format`, async () => {
          const answer = await client.post(`/${resource}`, { name: 'Any', valid_to: text });
          expect(answer.status).to.be.oneOf([201, 400]);
          if (answer.status === 201) {
            expect(answer.body?.data.valid_to).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
          }
        });
      }

      it('are cut to microseconds when they are written', async () => {
        for (const [text, stored] of [
          ['2026-01-02T03:04:05.123456999Z', '2026-01-02 03:04:05.123456+00'],
          ['2026-01-02T03:04:05.9999999+01:00', '2026-01-02 02:04:05.999999+00'],
          ['1961-01-02T03:04:05.1234569Z', '1961-01-02 03:04:05.123456+00'],
        ] as const) {
          const made = await client.make(resource, { valid_from: text });
          const sql = `select valid_from::text from ${resource} where id = $1`;
          expect(await client.api.database.rows(sql, [made.id])).to.deep.equal([{ valid_from: stored }]);
          await client.patch(`/${resource}/${id}`, { valid_from: text });
          expect(await client.api.database.rows(sql, [id])).to.deep.equal([{ valid_from: stored }]);
        }
      });
    });
  }
});
