import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { verbsOn } from '../../../db/timescale/queries/verbs.ts';
import { useDatabase } from '../../support/database.ts';

interface Given {
  least: number;
  texts: readonly string[];
  like?: string | undefined;
}

interface Shape {
  isReversed: boolean;
}

interface Row {
  text: string;
  place: number;
  kind: string;
}

describe('a statement that is composed once', () => {
  const database = useDatabase();
  let client: pg.Client;
  let composed = 0;

  before(async () => {
    client = new pg.Client(connectionConfig(database.url));
    await client.connect();
    database.beforeDrop(() => client.end());
  });

  /** A module's: it sees what it is given, and nothing of a request. */
  const compose = (marks: Given, shape: Shape) => {
    composed += 1;
    const like = marks.like === undefined ? sql.fragment`` : sql.fragment`and text like ${marks.like}`;
    return sql.type(rowsOf<Row>())`
        select text, place::integer, ${'plain'} as kind
        from unnest(${sql.array(marks.texts, 'text')}) with ordinality as given (text, place)
        where place >= ${marks.least} ${like} and cardinality(${sql.array(marks.texts, 'text')}) > 0
        order by place ${shape.isReversed ? sql.fragment`desc` : sql.fragment`asc`}`;
  };
  const statements = new ComposedOnce(compose);
  const run = (given: Given, isReversed = false) =>
    verbsOn((config) => client.query(config)).any(statements.statement(given, { isReversed }));

  it('is sent each time with the values of that time, in all their places', async () => {
    composed = 0;
    const plain = (text: string, place: number) => ({ text, place, kind: 'plain' });
    expect(await run({ least: 2, texts: ['a', 'b', 'c'] })).to.deep.equal([plain('b', 2), plain('c', 3)]);
    expect(await run({ least: 1, texts: ['\u0001', '$1', '$slonik_1'] })).to.deep.equal([
      plain('\u0001', 1),
      plain('$1', 2),
      plain('$slonik_1', 3),
    ]);
    expect(await run({ least: 1, texts: [] })).to.deep.equal([]);
    expect(composed).to.equal(1);
  });

  it('is another one for another shape', async () => {
    composed = 0;
    for (const like of ['a%', '%b']) {
      const rows = await run({ least: 1, texts: ['ab', 'ac', 'cb'], like });
      expect(rows.map(({ text }) => text)).to.deep.equal(like === 'a%' ? ['ab', 'ac'] : ['ab', 'cb']);
    }
    expect(composed).to.equal(1);
    const rows = await run({ least: 1, texts: ['ab', 'ac'], like: 'a%' }, true);
    expect(rows.map(({ text }) => text)).to.deep.equal(['ac', 'ab']);
  });

  it('is never the one of a caller who gives less or more, though nobody says so', async () => {
    const texts = ['ab', 'cb'];
    const all = await run({ least: 1, texts, like: undefined });
    expect(all).to.have.length(2);
    expect(await run({ least: 1, texts, like: 'a%' })).to.have.length(1);
    expect(await run({ least: 1, texts })).to.have.length(2);
  });
});
