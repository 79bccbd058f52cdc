import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { rowsAsJson } from '../../../db/timescale/copy/rows-as-json.ts';
import { useDatabase } from '../../support/database.ts';

describe('rows as JSON', () => {
  const database = useDatabase();

  it('are all there and in order, and few at a time once one of them is long', async () => {
    const bounds = { characters: 10_000, most: 50 };
    const batches = await inTransaction(database.pool, async (client) => {
      const found: string[][] = [];
      for (let round = 0; round < 2; round++) {
        const query = `select n, repeat('x', case when n between 150 and 160 then 4000 end) as text from generate_series(1, 300) n`;
        for await (const rows of rowsAsJson(client, query, bounds)) {
          found.push(rows);
        }
      }
      return found;
    });
    const numbers = batches.flat().map((row) => JSON.parse(row).n);
    const once = Array.from({ length: 300 }, (_, index) => index + 1);
    expect(numbers).to.deep.equal([...once, ...once]);
    expect(batches.slice(0, 7).map(({ length }) => length)).to.deep.equal([1, 2, 4, 8, 16, 32, 50]);
    const second = batches.length / 2;
    const long = batches.slice(0, second).findIndex((rows) => rows.some((row) => row.length > 4_000));
    for (const rows of batches.slice(long + 1, second)) {
      expect(rows.length).to.be.at.most(2);
    }
  });
});
