import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readCsv } from '../../../../domain/master-data/imports/csv.ts';
import type { CsvRecord } from '../../../../domain/master-data/imports/csv-records.ts';
import { randomSets } from '../../../support/random-sets.ts';

async function read(text: string, piece = 16_384): Promise<CsvRecord[]> {
  const bytes = Buffer.from(text);
  const source = async function* () {
    for (let at = 0; at < bytes.length; at += piece) {
      yield bytes.subarray(at, at + piece);
    }
  };
  const records: CsvRecord[] = [];
  for await (const record of readCsv(source)) {
    records.push(record);
  }
  return records;
}

describe('records of CSV', () => {
  it('are what another parser makes of the text, whatever it is and in whatever pieces it comes', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ä', ' ', ',', '"', '"', '\n', '\r\n', '\r') });
    const quoted = fc.array(
      fc.oneof(
        text.map((cell) => `"${cell.replaceAll('"', '""')}"`),
        text,
      ),
      { maxLength: 6 },
    );
    const file = fc.oneof(
      text,
      quoted.map((cells) => cells.join(',')),
      quoted.map((cells) => cells.join('\n')),
    );
    const property = fc.asyncProperty(file, fc.integer({ min: 1, max: 9 }), async (behind, piece) => {
      // A header, so that the delimiter is a comma.
      const whole = `a,b,c\n${behind}`;
      const own = await read(whole, piece).catch(() => null);
      expect(own?.map(({ cells }) => cells) ?? null).to.deep.equal(others(whole));
    });
    await fc.assert(property, { numRuns: randomSets(3_000) });
  });

  it('know their lines, also behind blank lines and cells of several', async () => {
    const records = await read('a\r\n\r\n"b\nc\r\nd"\n,\n\re\n');
    expect(records).to.deep.equal([
      { line: 1, cells: ['a'] },
      { line: 3, cells: ['b\nc\r\nd'] },
      { line: 8, cells: ['e'] },
    ]);
  });

  it('leave others the event loop for most of the time, also where there are none among line breaks', async () => {
    const breaks = Buffer.alloc(65_536, 10);
    const source = async function* () {
      yield Buffer.from('name\na');
      for (let piece = 0; piece < 100; piece++) {
        yield breaks;
      }
    };
    const before = performance.eventLoopUtilization();
    let count = 0;
    for await (const _ of readCsv(source)) {
      count += 1;
    }
    expect(count).to.equal(2);
    // Without rests it is 0.97.
    expect(performance.eventLoopUtilization(before).utilization).to.be.below(0.75);
  });

  it('have at most 200 cells with content', async () => {
    const [record] = await read(`${'a,'.repeat(200)},,`);
    expect(record?.cells).to.have.length(200);
    const tooMany = await read(`${'a,'.repeat(200)}a`).catch(({ message }) => message);
    expect(tooMany).to.equal('line 1: the row has more than 200 cells');
  });
});

function others(text: string): string[][] | null {
  try {
    const records: string[][] = parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    });
    return records.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  } catch {
    return null;
  }
}
