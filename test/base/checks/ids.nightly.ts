import { expect } from 'chai';
import { ids } from '../../../base/checks/fields.ts';
import { parseJson } from '../../../base/json/exact-json.ts';
import { meanTimeOf } from '../../support/held-loop.ts';

describe('a list of ids', () => {
  it('is read in a time that grows with its length', () => {
    const text = (members: number) => JSON.stringify(Array(members).fill(2_147_483_647));
    const timeFor = (members: number, many: number) =>
      meanTimeOf(() => {
        const { json, source } = parseJson(Buffer.from(text(members)), 'Text');
        expect(ids(members).mismatch(json, source)).to.equal(null);
        return ids(members).read(json, 'list', source);
      }, many);
    timeFor(5_000, 1);
    const few = timeFor(5_000, 32);
    const many = timeFor(80_000, 2);
    // Sixteen times as many: about as many times as long (16 to 21 seen), not 256.
    expect(many / few).to.be.below(128);
  });
});
