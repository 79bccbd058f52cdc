import { expect } from 'chai';
import { harmless, harmlessJson, turnedInto, withoutApostrophes } from '../../base/harmless-cells.ts';
import { Random } from '../support/random.ts';

describe('a cell for spreadsheets', () => {
  it('is no formula, wherever they begin cells, and is read again as it was', () => {
    const random = new Random(7, 0);
    const pick = (from: string) => from[random.below(from.length)] ?? '';
    for (let run = 0; run < 10_000; run++) {
      const cell = Array.from({ length: random.below(9) }, () => pick(`='";\t\r\na+-@＝＋－＠07e`)).join('');
      const written = harmless(cell);
      expect(withoutApostrophes(written)).to.equal(cell);
      expect(withoutApostrophes(harmless(cell, true))).to.equal(cell);
      expect(written).to.not.match(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(written.replaceAll('"', '""')).to.not.match(/[;\t\r\n]"*[=+\-@＝＋－＠]/);
      const json = harmlessJson(JSON.stringify({ cell }));
      expect(JSON.parse(json)).to.deep.equal({ cell });
      expect(json).to.not.match(/;["'\\]*[=+\-@＝＋－＠]/);
    }
  });

  it('is no number, date or truth value for a spreadsheet, and text that stays as it is has no mark', () => {
    const turned = ['007', '00', '123456789012', '3E5', '12e-3', '1-2', '2026-05-04', '1/2', '12:30', '1,5'];
    const named = ['JAN2', '2-Jan', 'SEPT1', 'Mai 4', '1. März', '4 Dezember 2026', 'true', 'FALSCH'];
    for (const cell of [...turned, ...named, "'007", "'7"]) {
      expect(harmless(cell, true), cell).to.equal(`'${cell}`);
      expect(withoutApostrophes(`'${cell}`), cell).to.equal(cell);
    }
    expect(harmless('007')).to.equal('007');
    const kept = [
      '0',
      '7',
      '12345678901',
      'CRATE-007',
      'MARKER-1',
      'DECK-2',
      'May',
      'E5',
      '3F5',
      "'68er",
      '',
    ];
    for (const cell of kept) {
      expect(harmless(cell, true), cell).to.equal(cell);
      expect(withoutApostrophes(cell), cell).to.equal(cell);
    }
  });

  it('is known again where a spreadsheet has turned it', () => {
    expect(turnedInto('7')).to.include.members(['07', '007']);
    expect(turnedInto('2-Jan')).to.include.members(['1-2', '01-02', '2-1', 'JAN2', 'Jan-2']);
    expect(['007', 'P-7', '0', '123456789012', '2-Foo'].flatMap(turnedInto)).to.deep.equal([]);
  });
});
