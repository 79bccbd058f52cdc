import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { barcodeKey } from '../../../domain/identity/barcode-key.ts';
import { encodeEpc } from '../../../domain/identity/encode-epc.ts';
import { decodeEpc, EPC_SCHEMES } from '../../../domain/identity/epc.ts';
import { checkDigit } from '../../../domain/identity/gs1-elements.ts';
import { elementsOf, parseEpcUri, uriOf } from '../../../domain/identity/named.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';

interface Examples {
  links: { scheme: string; hex: string; link: string }[];
  uris: { hex: string; uri: string }[];
}

/**
 * Annex E.3 of the Tag Data Standard 2.3. Its SSCC++ and ITIP++ have the headers F9 and F3 of other schemes, here EF and ED as in
 * table 14-1; of domains only the bits are looked at, as several examples name another one than they encode.
 */
const EXAMPLES = new URL('../../fixtures/identity/epcs.json', import.meta.url);

describe('EPCs', () => {
  const { links, uris }: Examples = JSON.parse(readFileSync(EXAMPLES, 'utf8'));

  for (const { scheme, hex, link } of links) {
    it(`name the key that the standard says, as ${scheme}`, () => {
      const epc = decodeEpc(hex);
      expect(epc?.scheme.name).to.equal(scheme);
      const elements = epc && elementsOf(epc.scheme.kind, epc.values);
      const path = [...(elements ?? [])].map(([ai, value]) => `/${ai}/${encodeURIComponent(value)}`).join('');
      expect(path).to.equal(link);
      expect(epc && encodeEpc(epc)).to.equal(inWords(hex));
      expect(tagKey('rfid', hex)).to.equal(barcodeKey(`https://example.com${link}`));
      expect(tagKey('rfid', hex.toLowerCase().replace(/../g, '$& '))).to.equal(tagKey('rfid', hex));
    });
  }

  for (const { hex, uri } of uris) {
    it(`have the pure identity ${uri}`, () => {
      const epc = decodeEpc(hex);
      expect(epc && uriOf(epc.scheme.kind, epc.values)).to.equal(uri);
      expect(epc && encodeEpc(epc)).to.equal(inWords(hex));
      const parsed = parseEpcUri(uri);
      expect(parsed && uriOf(parsed.kind, parsed.values)).to.equal(uri);
      expect(tagKey('rfid', hex)).to.equal(tagKey('rfid', uri)).and.to.equal(tagKey('barcode', uri));
    });
  }

  const others: [string, string][] = [
    ['a header of no scheme', 'E28011606000020912345678'],
    ['too few bits', '3074257BF7194E4000001A'],
    ['a word too many', '3074257BF7194E4000001A850000'],
    ['a partition that there is not', '307C257BF7194E4000001A85'],
    ['a prefix with more digits than its partition has', '3077FFFFF7194E4000001A85'],
    ['bits where none may be', '3174257BF4499602D2000001'],
    ['text behind the end of a text', '3674257BF6B7A659B2C2BF1000000000000000000000000000001'],
    ['a digit above 9', 'F7379521141A23453856'],
    ['zeros alone', '000000000000000000000000'],
  ];
  for (const [what, hex] of others) {
    it(`are none with ${what}`, () => {
      expect(decodeEpc(hex)).to.equal(null);
      expect(tagKey('rfid', hex)).to.equal(hex.replace(/^0+(?=.)/, ''));
    });
  }

  it('are matched without what is no part of the key: filter, length of the prefix, other data', () => {
    const key = tagKey('rfid', '3074257BF7194E4000001A85');
    expect(tagKey('rfid', '3034257BF7194E4000001A85')).to.equal(key);
    const [one, other] = ['urn:epc:id:sgtin:06141418.12345.6789', 'urn:epc:id:sgtin:0614141.182345.6789'];
    expect(tagKey('barcode', one)).to.equal(tagKey('rfid', other));
    expect(tagKey('barcode', one)).to.equal(
      barcodeKey(`(01)1061414182345${checkDigit('1061414182345')}(21)6789`),
    );
    const scheme = EPC_SCHEMES.find(({ name }) => name === 'SGTIN+');
    const values = { filter: '2', key: '80614141123458', serial: '6789' };
    for (const more of [{ toggle: '0' }, { toggle: '1', 'rest of data': '0001011101010101' }]) {
      const hex = scheme && encodeEpc({ scheme, values: { ...values, ...more } });
      expect(tagKey('rfid', hex ?? '')).to.equal(key);
    }
  });

  it('are of a location itself where the extension is 0', () => {
    expect(tagKey('rfid', '3274257BF460720000000000')).to.equal(barcodeKey('(414)0614141123452'));
  });
});

function inWords(hex: string): string {
  return hex.padEnd(Math.ceil(hex.length / 4) * 4, '0');
}
