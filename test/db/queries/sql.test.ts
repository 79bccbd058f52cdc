import { expect } from 'chai';
import fc from 'fast-check';
import { sql as slonik } from 'slonik';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { integers, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql, toConfig, type ValueExpression } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';

const ANY = rowsOf<unknown>();

describe('a composed query', () => {
  const database = useDatabase();
  let client: Client;

  before(async () => {
    client = new Client(connectionConfig(database.url));
    await client.connect();
    database.beforeDrop(() => client.end());
  });

  it('is a text and its values, numbered as PostgreSQL numbers them', () => {
    const query = sql.type(ANY)`select ${1}::integer, ${'two'}::text, ${1}::integer`;
    expect(toConfig(query)).to.deep.equal({
      text: 'select $1::integer, $2::text, $3::integer',
      values: [1, 'two', 1],
    });
  });

  it('keeps its name', () => {
    expect(toConfig(sql.prepared('find-it', ANY)`select ${1}::integer`)).to.deep.equal({
      name: 'find-it',
      text: 'select $1::integer',
      values: [1],
    });
  });

  it('numbers what is nested, and what is nested twice, anew', () => {
    const condition = sql.fragment`a = ${1} and b = ${2}`;
    const conditions = sql.join([condition, sql.fragment`c = ${3}`, condition], sql.fragment` or `);
    const { text, values } = toConfig(sql.type(ANY)`select ${0} where ${conditions} limit ${9}`);
    expect(text).to.equal('select $1 where a = $2 and b = $3 or c = $4 or a = $5 and b = $6 limit $7');
    expect(values).to.deep.equal([0, 1, 2, 3, 1, 2, 9]);
  });

  it('numbers beyond nine', () => {
    const list = sql.join(
      Array.from({ length: 120 }, (_, value) => sql.fragment`${value}::integer`),
      sql.fragment`, `,
    );
    const { text, values } = toConfig(sql.type(ANY)`select array[${list}]`);
    expect(text.match(/\$\d+/g)).to.deep.equal(values?.map((_, index) => `$${index + 1}`));
  });

  it('gives PostgreSQL arrays, binary arrays, nulls and texts that look like parameters as they are', async () => {
    const given = ['$1', '$slonik_1', "it's", 'a\\b', 'ünïcode', '{}', 'null'];
    const row = await client.one(sql.type(rowsOf<Record<string, unknown>>())`
      select ${sql.array(given, 'text')} as list, ${sql.binary(texts([...given, null]))}::text[] as binary_list,
        ${sql.binary(integers([1, null, -3]))}::integer[] as numbers, ${null}::text as nothing, ${true}::boolean as yes,
        ${'$slonik_1'}::text as text, ${sql.binary(Buffer.from([0, 36, 49]))}::bytea as bytes`);
    expect(row).to.deep.equal({
      list: given,
      binary_list: [...given, null],
      numbers: [1, null, -3],
      nothing: null,
      yes: true,
      text: '$slonik_1',
      bytes: Buffer.from([0, 36, 49]),
    });
  });

  it('refuses a text that has the mark of a parameter in it otherwise', () => {
    expect(() => toConfig(sql.type(ANY)`select '$slonik_1'`)).to.throw(RangeError);
    expect(() => toConfig(sql.type(ANY)`select ${1}, '$slonik_1'`)).to.throw(RangeError);
    expect(() => toConfig(sql.type(ANY)`select ${1} as ${sql.identifier(['$slonik_'])}`)).to.throw(
      RangeError,
    );
  });

  it('leaves parameters of PostgreSQL alone', () => {
    expect(toConfig({ sql: "select $1, '$2'", values: [1] }).text).to.equal("select $1, '$2'");
  });

  it('has the same text under one name, whatever the values', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const seen = new Set<string>();
    fc.assert(
      fc.property(value, fc.array(fc.string()), fc.uint8Array(), (one, many, bytes) => {
        const { name, text } = toConfig(sql.prepared('named', ANY)`
          select ${one}, ${sql.array(many, 'text')}, ${sql.binary(Buffer.from(bytes))}, ${sql.fragment`${one}`}`);
        expect(name).to.equal('named');
        seen.add(text);
      }),
      { numRuns: 1_000 },
    );
    expect([...seen]).to.have.lengthOf(1);
  });

  it("is what slonik's own tag makes", () => {
    const compose = (tag: Pick<typeof sql, 'prepared' | 'fragment' | 'array' | 'join'>) =>
      tag.prepared('same', ANY)`select ${1}, ${tag.array(['a'], 'text')}
        where ${tag.join([tag.fragment`b = ${null}`], tag.fragment` and `)}`;
    expect(toConfig(compose(sql))).to.deep.equal(toConfig(compose(slonik as unknown as typeof sql)));
  });

  it('is that at every execution, whatever values and fragments are given at the same place (1,000 random ones)', () => {
    type Tag = Pick<typeof sql, 'prepared' | 'fragment' | 'array' | 'binary' | 'join'>;
    const nested = (tag: Tag, part: Part) => tag.fragment`(${partOf(tag, part)}, ${2})`;
    const partOf = (tag: Tag, { kind, value, within }: Part): ValueExpression => {
      switch (kind) {
        case 'value':
          return value;
        case 'binary':
          return tag.binary(Buffer.from(String(value)));
        case 'array':
          return tag.array([String(value)], 'text');
        case 'constant':
          return value === null ? tag.fragment`now()` : tag.fragment`current_date`;
        case 'fragment':
          return tag.fragment`lower(${value})`;
        case 'joined':
          return tag.join([tag.fragment`${value}`, tag.fragment`${1}`], tag.fragment`, `);
        case 'nested':
          return within === null ? value : nested(tag, within);
      }
    };
    const compose = (tag: Tag, name: string, [one, two, three]: Part[]) =>
      tag.prepared(name, ANY)`select ${partOf(tag, one as Part)}, ${partOf(tag, two as Part)}
        where ${partOf(tag, three as Part)}`;
    const part = fc.letrec<{ part: Part }>((tie) => ({
      part: fc.record({
        kind: fc.constantFrom('value', 'binary', 'array', 'constant', 'fragment', 'joined', 'nested'),
        value: fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.boolean()),
        within: fc.option(tie('part'), { maxDepth: 2 }),
      }),
    })).part;
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 3, maxLength: 3 }),
        fc.constantFrom('a', 'b'),
        (parts, name) => {
          const made = toConfig(compose(sql, name, parts));
          expect(made).to.deep.equal(toConfig(compose(slonik as unknown as Tag, name, parts)));
          expect(toConfig(compose(sql, name, parts))).to.deep.equal(made);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

interface Part {
  kind: 'value' | 'binary' | 'array' | 'constant' | 'fragment' | 'joined' | 'nested';
  value: string | number | boolean | null;
  within: Part | null;
}
