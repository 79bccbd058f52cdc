import { expect } from 'chai';
import {
  harmless,
  harmlessJson,
  withoutApostrophes,
} from '../../../../domain/master-data/imports/harmless.ts';
import { Random } from '../../../support/random.ts';

describe('a cell for spreadsheets', () => {
  it('is no formula, wherever they begin cells, and is read again as it was', () => {
    const random = new Random(7, 0);
    const pick = (from: string) => from[random.below(from.length)] ?? '';
    for (let run = 0; run < 10_000; run++) {
      const cell = Array.from({ length: random.below(9) }, () => pick(`='";\t\r\na+-@＝＋－＠`)).join('');
      const written = harmless(cell);
      expect(withoutApostrophes(written)).to.equal(cell);
      expect(written).to.not.match(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(written.replaceAll('"', '""')).to.not.match(/[;\t\r\n]"*[=+\-@＝＋－＠]/);
      const json = harmlessJson(JSON.stringify({ cell }));
      expect(JSON.parse(json)).to.deep.equal({ cell });
      expect(json).to.not.match(/;["'\\]*[=+\-@＝＋－＠]/);
    }
  });
});
