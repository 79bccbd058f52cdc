import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { barcodeKey } from '../../../domain/identity/barcode-key.ts';
import { identifierAt, identifierNamed } from '../../../domain/identity/gs1-elements.ts';

const TABLE = new URL('../../fixtures/identity/barcodes.json', import.meta.url);

describe('the normal form of barcodes', () => {
  const { same, different } = JSON.parse(readFileSync(TABLE, 'utf8')) as Record<string, string[][]>;

  for (const [first = '', ...others] of same ?? []) {
    it(`is one for ${JSON.stringify(first)} in all notations`, () => {
      const keys = others.map((other) => [other, barcodeKey(other)]);
      expect(keys).to.deep.equal(others.map((other) => [other, barcodeKey(first)]));
    });
  }

  for (const [one = '', other = ''] of different ?? []) {
    it(`differs between ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      expect(barcodeKey(one)).to.not.equal(barcodeKey(other));
    });
  }

  it('is no other thing than the value itself without what scanners add, where GS1 knows none', () => {
    const values = ['EM-000998', 'a b', '(x)', 'http://example.com/', '01', '0', ']x', ']C', '2026-11-29'];
    expect(values.map(barcodeKey)).to.deep.equal(values);
    expect([' \r\n', '', ']C0'].map(barcodeKey)).to.deep.equal(['', '', '']);
  });

  it('knows identifiers of which none begins another', () => {
    const all = Array.from({ length: 10_000 }, (_, number) => String(number)).flatMap((text) =>
      [2, 3, 4].map((length) => text.padStart(length, '0')).filter((ai) => ai.length <= 4),
    );
    const known = [...new Set(all)].filter((ai) => identifierNamed(ai) !== undefined);
    expect(known).to.have.length.above(500);
    expect(known.filter((ai) => identifierAt(ai, 0) !== ai)).to.deep.equal([]);
  });
});
