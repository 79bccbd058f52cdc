import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const MAX = 2147483647;
const HUGE = '9'.repeat(500);

/** What an id in a path or in a filter is answered with. */
const WRONG: [text: string, code: string, message: string | undefined, params: object | undefined][] = [
  ['0', 'too_small', '<id> must be >= 1', { min: 1 }],
  ['-0', 'too_small', '<id> must be >= 1', { min: 1 }],
  ['-5', 'too_small', '<id> must be >= 1', { min: 1 }],
  [`-${HUGE}`, 'too_small', '<id> must be >= 1', { min: 1 }],
  [`${MAX + 1}`, 'too_large', undefined, { max: MAX }],
  ['9223372036854775807', 'too_large', undefined, { max: MAX }],
  ['9223372036854775808', 'too_large', undefined, { max: MAX }],
  ['18446744073709551617', 'too_large', undefined, { max: MAX }],
  [HUGE, 'too_large', undefined, { max: MAX }],
  ...[
    'abc',
    '1.5',
    '1.0',
    '1e3',
    '0x1',
    '%2B1',
    '%201',
    '1%20',
    '1,2',
    'NaN',
    'Infinity',
    '%D9%A1',
    'null',
    '1_0',
  ].map((text): [string, string, string, undefined] => [
    text,
    'invalid_value',
    '<id> must be an integer',
    undefined,
  ]),
];

const PATHS = [
  ['GET', '/assets/<id>', 'asset_id'],
  ['PATCH', '/assets/<id>', 'asset_id'],
  ['DELETE', '/assets/<id>', 'asset_id'],
  ['POST', '/assets/<id>/rename', 'asset_id'],
  ['POST', '/assets/<id>/tags', 'asset_id'],
  ['DELETE', '/assets/<id>/tags/1', 'asset_id'],
  ['DELETE', '/assets/1/tags/<id>', 'tag_id'],
  ['GET', '/assets/<id>/history', 'asset_id'],
  ['GET', '/locations/<id>', 'location_id'],
  ['PATCH', '/locations/<id>', 'location_id'],
  ['DELETE', '/locations/<id>', 'location_id'],
  ['POST', '/locations/<id>/rename', 'location_id'],
  ['POST', '/locations/<id>/tags', 'location_id'],
  ['DELETE', '/locations/<id>/tags/1', 'location_id'],
  ['DELETE', '/locations/1/tags/<id>', 'tag_id'],
  ['GET', '/locations/<id>/ancestors', 'location_id'],
  ['GET', '/locations/<id>/children', 'location_id'],
  ['GET', '/locations/<id>/descendants', 'location_id'],
] as const;

const FILTERS = [
  ['/assets', 'location_id', true],
  ['/locations', 'id', false],
  ['/locations', 'parent_id', false],
  ['/reports/asset-locations', 'asset_id', true],
  ['/reports/asset-locations', 'location_id', true],
] as const;

describe('ids', () => {
  const client = useClient();

  for (const [method, template, field] of PATHS) {
    it(`in the path of ${method} ${template} are 1 to ${MAX}`, async () => {
      const call = (text: string) =>
        client.api.call({
          method,
          path: `/api/v1${template.replace('<id>', text)}`,
          ...((method === 'POST' || method === 'PATCH') && { json: {} }),
        });
      for (const [text, code, message, params] of WRONG) {
        const issue = { field, code, ...(message && { message: message.replace('<id>', field) }) };
        expectFields(await call(text), [{ ...issue, ...(params && { params }) }]);
      }
      expectError(await call(`${MAX}`), 404, 'not_found');
    });
  }

  for (const [path, field, isRepeatable] of FILTERS) {
    it(`in the filter ${field} of ${path} follow the same rules`, async () => {
      for (const [text, code, message, params] of [
        ...WRONG,
        ['', 'invalid_value', undefined, undefined] as const,
      ]) {
        const issue = { field, code, ...(message && { message: message.replace('<id>', field) }) };
        expectFields(await client.get(`${path}?${field}=${text}`), [{ ...issue, ...(params && { params }) }]);
      }
      expect((await client.get(`${path}?${field}=${MAX}`)).body?.data).to.deep.equal([]);
    });

    if (isRepeatable) {
      it(`in the filter ${field} of ${path} are wrong also as one of several`, async () => {
        const answer = await client.get(`${path}?${field}=1&${field}=${MAX + 1}&${field}=2`);
        expectFields(answer, [{ field, code: 'too_large', params: { max: MAX } }]);
      });
    }
  }

  it('of both parameters of a path are reported together', async () => {
    expectFields(await client.remove('/assets/0/tags/abc'), [
      { field: 'asset_id', code: 'too_small' },
      { field: 'tag_id', code: 'invalid_value' },
    ]);
  });

  it('are not what follows /assets/bulk', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE', 'PUT']) {
      const answer = await client.api.call({ method, path: '/api/v1/assets/bulk' });
      expectError(answer, 405, 'method_not_allowed', 'Allowed methods: POST');
      expect(answer.headers.get('allow')).to.equal('POST');
    }
  });

  describe('in parent_id', () => {
    let location: number;
    before(async () => {
      ({ id: location } = await client.make('locations'));
    });
    const both = async (value: string) => [
      await client.post('/locations', undefined, { body: `{"name":"x","parent_id":${value}}` }),
      await client.patch(`/locations/${location}`, undefined, { body: `{"parent_id":${value}}` }),
    ];

    for (const [value, code, params] of [
      ['0', 'too_small', { min: 1 }],
      ['-1', 'too_small', { min: 1 }],
      ['-9223372036854775808', 'too_small', { min: 1 }],
      [`${MAX + 1}`, 'too_large', { max: MAX }],
      ['9223372036854775807', 'too_large', { max: MAX }],
      ['9007199254740993', 'too_large', { max: MAX }],
      ['1e18', 'too_large', { max: MAX }],
      ['-0.0', 'too_small', { min: 1 }],
      ['0e99999999', 'too_small', { min: 1 }],
      ['-250e-1', 'too_small', { min: 1 }],
    ] as const) {
      it(`are not ${value}`, async () => {
        for (const answer of await both(value)) {
          expectFields(answer, [{ field: 'parent_id', code, params }]);
        }
      });
    }

    it('are the same in other notations', async () => {
      for (const value of [`${location}.0`, `${location}0e-1`, `0.${location}E+${String(location).length}`]) {
        const body = `{"name":"x","parent_id":${value}}`;
        const answer = await client.post('/locations', undefined, { body });
        expect(answer.body?.data.parent_id, answer.text).to.equal(location);
      }
    });

    for (const value of [
      '"1"',
      '1.5',
      'true',
      '[]',
      '{}',
      '9223372036854775808',
      '-9223372036854775809',
      '1'.repeat(300),
      '1.00000000000000000001',
      '0.99999999999999999999',
      '15e-1',
      '1e-400',
      '1e19',
      '1e300',
    ]) {
      it(`cannot be decoded from ${value.slice(0, 24)}`, async () => {
        for (const answer of await both(value)) {
          const detail = 'Body field "parent_id" could not be decoded as the expected type';
          expectError(answer, 400, 'bad_request', detail);
        }
      });
    }
  });
});
