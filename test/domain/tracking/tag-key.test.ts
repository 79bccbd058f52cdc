import { expect } from 'chai';
import { tagKey } from '../../../domain/tracking/tag-key.ts';

describe('the tag key', () => {
  const same: [string, 'rfid' | 'ble' | 'barcode', string, string][] = [
    ['an EPC in either case', 'rfid', 'e280116060000209', 'E280116060000209'],
    ['an EPC with separators', 'rfid', 'E2-80:11 60', 'E2801160'],
    ['an EPC with leading zeros', 'rfid', '0000E280', 'e280'],
    ['an EPC of zeros only', 'rfid', '0000', '0'],
    ['a MAC with and without colons', 'ble', 'c3:00:00:25:00:01', 'C30000250001'],
    ['an Eddystone UID', 'ble', '00112233-4455-6677-8899-aabbccddeeff', '00112233445566778899AABBCCDDEEFF'],
    [
      'an iBeacon with and without hyphens',
      'ble',
      'e2c56db5-dffb-48d2-b060-d0f5a71096e0:1:23',
      'E2C56DB5DFFB48D2B060D0F5A71096E0:1:23',
    ],
  ];
  for (const [what, tagType, one, other] of same) {
    it(`is the same for ${what}`, () => {
      expect(tagKey(tagType, one)).to.equal(tagKey(tagType, other)).and.not.equal('');
    });
  }

  const U = 'E2C56DB5DFFB48D2B060D0F5A71096E0';
  const different: [string, 'rfid' | 'ble' | 'barcode', string, string][] = [
    ['iBeacons whose numbers join to the same digits', 'ble', `${U}:1:23`, `${U}:12:3`],
    ['MACs that differ in leading zeros', 'ble', '000000000001', '0000000001'],
    ['barcodes in the other case', 'barcode', 'abc', 'ABC'],
    ['barcodes with other leading zeros', 'barcode', '0012', '12'],
    ['RFID values that are no hex', 'rfid', 'pallet-1', 'PALLET-1'],
  ];
  for (const [what, tagType, one, other] of different) {
    it(`differs for ${what}`, () => {
      expect(tagKey(tagType, one)).to.not.equal(tagKey(tagType, other));
    });
  }

  it('is empty for separators only, which no read can be matched by', () => {
    expect([tagKey('rfid', ':- '), tagKey('ble', '::'), tagKey('barcode', '--')]).to.deep.equal([
      '',
      '',
      '--',
    ]);
  });
});
