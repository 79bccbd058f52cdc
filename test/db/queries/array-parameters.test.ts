import { expect } from 'chai';
import {
  bigints,
  byteas,
  doubles,
  integers,
  smallints,
  texts,
  timestamps,
} from '../../../db/timescale/queries/array-parameters.ts';
import { useDatabase } from '../../support/database.ts';

describe('an array as a parameter', () => {
  const database = useDatabase();
  const MICROS = Date.UTC(2026, 4, 1, 10) * 1_000;

  const cases: [string, string, Buffer, unknown[]][] = [
    ['integer', 'value', integers([1, null, -2_147_483_648]), [1, null, -2_147_483_648]],
    ['smallint', 'value', smallints([1, null, -32_768]), [1, null, -32_768]],
    ['bigint', 'value', bigints([-1, null, Number.MAX_SAFE_INTEGER]), [-1, null, Number.MAX_SAFE_INTEGER]],
    ['float8', 'value', doubles([0.1, null, -54.5]), [0.1, null, -54.5]],
    [
      'text',
      'value',
      texts(['{a,"b"}\\', null, '', 'NULL', '\u{1f4e6}']),
      ['{a,"b"}\\', null, '', 'NULL', '\u{1f4e6}'],
    ],
    [
      'bytea',
      'value',
      byteas([Buffer.of(0, 255), null, Buffer.of()]),
      [Buffer.of(0, 255), null, Buffer.of()],
    ],
    ['timestamptz', 'micros_of_time(value)', timestamps([MICROS + 1, null, -1]), [MICROS + 1, null, -1]],
  ];
  for (const [type, read, parameter, values] of cases) {
    it(`of ${type} arrives with its elements in their order, nulls too`, async () => {
      const rows = await database.rows<{ value: unknown }>(
        `select ${read} as value from unnest($1::${type}[]) with ordinality as given (value, position) order by position`,
        [parameter],
      );
      expect(rows.map(({ value }) => value)).to.deep.equal(values);
    });
  }

  it('may be empty, and long', async () => {
    const count = 'select count(*), max(value) from unnest($1::text[]) as given (value)';
    expect(await database.rows(count, [texts([])])).to.deep.equal([{ count: 0, max: null }]);
    const many = Array.from({ length: 10_000 }, (_, index) => 'x'.repeat(index % 300));
    expect(await database.rows(count, [texts(many)])).to.deep.equal([
      { count: 10_000, max: 'x'.repeat(299) },
    ]);
  });
});
