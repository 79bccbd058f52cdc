import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ASSET_COLUMNS, type Column, LOCATION_COLUMNS } from '../../domain/master-data/columns.ts';
import { CSV_COLUMNS } from '../../domain/master-data/imports/given-row.ts';
import { ASSET_LIST } from '../../services/api/assets/schema.ts';
import { LOCATION_LIST } from '../../services/api/locations/schema.ts';
import { ROOT } from './command-blocks.ts';

describe('the documents on assets and locations', () => {
  it('name every column of CSV', () => {
    const table = /^## Columns$.*?^## /ms.exec(read('docs/csv.md'))?.[0] ?? '';
    const columns = [...CSV_COLUMNS.asset, ...CSV_COLUMNS.location];
    expect(notNamedIn(table, columns)).to.deep.equal([]);
  });

  it('name every field that is written, where the contract says what an item is and what creates it', () => {
    const contract = read('docs/contract.md');
    const startingWith = (start: string) => contract.split(/^/m).find((line) => line.startsWith(start)) ?? '';
    const section = /^### 2\.2 .*?^### 2\.4 /ms.exec(contract)?.[0] ?? '';
    expect(notNamedIn(section, Object.keys({ ...ASSET_COLUMNS, ...LOCATION_COLUMNS }))).to.deep.equal([]);
    for (const [operation, columns] of [
      ['POST /assets', ASSET_COLUMNS],
      ['POST /locations', LOCATION_COLUMNS],
    ] as const) {
      const row = startingWith(`| \`${operation}\` |`);
      expect(notNamedIn(row, Object.keys(columns)), operation).to.deep.equal([]);
    }
  });

  it('name every field that null clears, in the first rule of PATCH', () => {
    const section = read('docs/contract.md')
      .split(/^(?=### \d)/m)
      .find((part) => part.startsWith('### 4.7 '));
    const rule = /^1\. .*?(?=^2\. )/ms.exec(section ?? '')?.[0] ?? '';
    const columns = Object.entries<Column>({ ...ASSET_COLUMNS, ...LOCATION_COLUMNS });
    const cleared = columns.filter(([, { otherwise }]) => otherwise === null).map(([name]) => name);
    expect(notNamedIn(rule, cleared)).to.deep.equal([]);
  });

  it('name every parameter of a list, where the contract says what it finds', () => {
    const sections = read('docs/contract.md').split(/^(?=### \d)/m);
    for (const [start, { parameters }] of [
      ['### 4.2 ', ASSET_LIST],
      ['### 4.3 ', LOCATION_LIST],
    ] as const) {
      const section = sections.find((part) => part.startsWith(start)) ?? '';
      const filters = section.slice(section.indexOf('| Filter |'));
      expect(notNamedIn(filters, Object.keys(parameters)), start).to.deep.equal([]);
    }
  });
});

function read(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

function notNamedIn(text: string, names: readonly string[]): string[] {
  return names.filter((name) => !text.includes(`\`${name}\``));
}
