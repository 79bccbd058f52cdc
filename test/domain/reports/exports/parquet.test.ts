import { expect } from 'chai';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Column } from '../../../../domain/reports/exports/columns.ts';
import { parquetOf } from '../../../../domain/reports/exports/parquet.ts';

interface Row {
  number: number;
}

const TOTAL = 110_000;
const START = Date.UTC(2026, 0, 1);

/** Of each kind a column with nothing in it, one with a single value, one with few values, one with many. */
const CELLS = {
  id: (n: number) => n + 1,
  key: (n: number) => `KEY-${n}`,
  time: (n: number) => `${new Date(START + n * 61_001).toISOString().replace('T', ' ').slice(0, -1)}456+00`,
  seconds: (n: number) => n * 1_001 + (n % 2) * 0.25,
  count: (n: number) => 2 ** 40 + n,
  flag: (n: number) => n % 2 === 1,
  day: (n: number) => new Date(START + (n % 30_000) * 86_400_000).toISOString().slice(0, 10),
} as const;

const READ = {
  id: (n: number) => n + 1,
  key: (n: number) => `KEY-${n}`,
  time: (n: number) => new Date(START + n * 61_001),
  seconds: (n: number) => (n * 1_001) / 1_000,
  count: (n: number) => 2n ** 40n + BigInt(n),
  flag: (n: number) => n % 2 === 1,
  day: (n: number) => new Date(START + (n % 30_000) * 86_400_000),
} as const;

const SPREADS = {
  none: () => null,
  single: () => 7,
  few: (n: number) => n % 5,
  many: (n: number) => n,
  gaps: (n: number) => (n % 3 === 0 ? null : n % 1_000),
} as const;

const kinds = Object.keys(CELLS) as (keyof typeof CELLS)[];
const spreads = Object.keys(SPREADS) as (keyof typeof SPREADS)[];

const columns = kinds.flatMap((type) =>
  spreads.map((spread): Column<Row> => {
    const cell = ({ number }: Row) => {
      const value = SPREADS[spread](number);
      return value === null ? null : CELLS[type](value);
    };
    return { name: `${type}_${spread}`, type, cell };
  }),
);

describe('a report as Parquet', () => {
  it('is read by another library as it was written, over all its row groups, in any kind of column', async () => {
    const { file, rows } = await written(TOTAL);
    expect(rows).to.equal(TOTAL);
    expect(parquetMetadata(file).row_groups.length).to.be.above(1);
    for (const type of kinds) {
      const names = spreads.map((spread) => `${type}_${spread}`);
      const found = await parquetReadObjects({ file, columns: names });
      expect(found.length).to.equal(TOTAL);
      for (const [number, row] of found.entries()) {
        for (const spread of spreads) {
          const value = SPREADS[spread](number);
          const expected = value === null ? null : READ[type](value);
          const name = `${type}_${spread}`;
          const cell = row[name] ?? null;
          const isSame =
            cell instanceof Date && expected instanceof Date
              ? cell.getTime() === expected.getTime()
              : cell === expected;
          if (!isSame) {
            expect(cell, `${name} in row ${number}`).to.deep.equal(expected);
          }
        }
      }
    }
  });

  it('is a file with its columns where there is no row', async () => {
    const { file, rows } = await written(0);
    expect(rows).to.equal(0);
    expect(await parquetReadObjects({ file })).to.deep.equal([]);
    const schema = parquetMetadata(file).schema.slice(1);
    expect(schema.map(({ name }) => name)).to.deep.equal(columns.map(({ name }) => name));
  });

  it('says that its times are UTC', async () => {
    const { file } = await written(1);
    const time = parquetMetadata(file).schema.find(({ name }) => name === 'time_many');
    expect(time).to.deep.include({
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    });
  });
});

async function written(total: number): Promise<{ file: ArrayBuffer; rows: number }> {
  const batches = async function* () {
    for (let from = 0; from < total; from += 2_000) {
      const length = Math.min(2_000, total - from);
      yield { rows: Array.from({ length }, (_, index) => ({ number: from + index })), total };
    }
  };
  const pieces: Uint8Array[] = [];
  let count = 0;
  for await (const { content, rows } of parquetOf(columns, batches())) {
    pieces.push(Buffer.from(content));
    count += rows;
  }
  const bytes = Buffer.concat(pieces);
  return { file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), rows: count };
}
