import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { ROOT } from './command-blocks.ts';

describe('the documents on readers', () => {
  const formats = [...loadBuiltinFormats().keys()];
  const read = (document: string) => readFileSync(join(ROOT, document), 'utf8');

  it('have a row for every format that comes with it', () => {
    const rows = read('domain/formats/built-in/README.md');
    expect(formats.filter((name) => !rows.includes(`\n| \`${name}\` |`))).to.deep.equal([]);
  });

  it('lead to a page on every format, which registers a reader with it', () => {
    const readme = read('README.md');
    for (const name of formats) {
      const pages = readdirSync(join(ROOT, 'docs/readers')).filter(
        (page) => page !== 'README.md' && read(`docs/readers/${page}`).includes(`--format ${name}`),
      );
      expect(pages, name).to.not.deep.equal([]);
      expect(readme).to.include(`\`${name}\``);
      for (const page of pages) {
        expect(readme).to.include(`(docs/readers/${page})`);
      }
    }
  });
});
