import { expect } from 'chai';
import { arrayOf, type Field, id, ids } from '../../../base/checks/fields.ts';
import { parseJson } from '../../../base/json/exact-json.ts';

/** What a field says of a JSON text. */
function said(field: Field<unknown>, text: string): unknown {
  const { json, source } = parseJson(Buffer.from(text), 'Text');
  const mismatch = field.mismatch(json, source);
  return mismatch ?? field.read(json, 'list', source);
}

describe('a list of ids', () => {
  for (const text of [
    '[]',
    '[ ]',
    '[1]',
    '[ 1 ,\n2\t]',
    '[2147483647,2147483648]',
    '[0,-1,1]',
    '[1.0,20e-1,3E0]',
    '[1,1.5]',
    '[1.0000000000000000000001]',
    '[9223372036854775807,9223372036854775808]',
    '[1e400]',
    '["1"]',
    '[1,",",2]',
    '[1,[2,3],4]',
    '[1,{"a":2},null]',
    '[1,2,3,4]',
    '"1,2"',
    'null',
  ]) {
    it(`is what a list of single ids is: ${JSON.stringify(text)}`, () => {
      expect(said(ids(3), text)).to.deep.equal(said(arrayOf(id, { max: 3 }), text));
    });
  }
});
