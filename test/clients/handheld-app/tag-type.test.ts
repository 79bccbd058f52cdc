import { expect } from 'chai';
import { guessTagType } from '../../../clients/handheld-app/src/scanning/guess-tag-type.ts';
import { whyUnusable } from '../../../clients/handheld-app/src/scanning/usable-value.ts';

describe('what a scanned value is taken for', () => {
  for (const [value, what] of [
    ['E28011600000020912345678', 'a TID in hex'],
    ['e280 1160 0000 0209 1234 5678', 'the same in groups and small letters'],
    ['303400000000000000000001', 'an SGTIN-96 without letters'],
    ['3034000000000000000000010203ABCD', 'an EPC of 128 bits'],
  ] as const) {
    it(`an RFID tag: ${what}`, () => {
      expect(guessTagType(value)).to.equal('rfid');
    });
  }

  for (const [value, what] of [
    ['4006381333931', 'an EAN'],
    ['00340123450000000017', 'an SSCC with its identifier, twenty digits'],
    ['010400638133393110ABC1', 'an element string'],
    ['DEADBEEF', 'a short word in hex'],
    ['LOC-DOCK-1', 'a word'],
    ['550e8400-e29b-41d4-a716-446655440000', 'a UUID with hyphens'],
    ['012345678901234567890123', '24 digits that begin as no EPC does'],
  ] as const) {
    it(`a barcode: ${what}`, () => {
      expect(guessTagType(value)).to.equal('barcode');
    });
  }

  it('is refused if no tag can have it', () => {
    expect(whyUnusable('barcode', '')).to.match(/nothing/);
    expect(whyUnusable('rfid', ': - :')).to.match(/nothing/);
    expect(whyUnusable('rfid', 'a\u001db')).to.match(/control/);
    expect(whyUnusable('barcode', 'a\u001cb')).to.match(/control/);
    expect(whyUnusable('barcode', 'a\u001db')).to.equal(null);
    expect(whyUnusable('barcode', '📦'.repeat(256))).to.match(/255/);
    expect(whyUnusable('barcode', '📦'.repeat(255))).to.equal(null);
  });
});
