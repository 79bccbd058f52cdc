import { expect } from 'chai';
import fc from 'fast-check';
import { JsonText, writeJson } from '../../../base/json/json-text.ts';

describe('JSON that is written', () => {
  it('is that of JSON.stringify, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, maxDepth: 4 }), (value) => {
        expect(writeJson(value)).to.equal(JSON.stringify(value));
      }),
      { numRuns: 3_000 },
    );
    for (const text of ['"', '\\', '\u0000', '\ud800', '😀', '\u2028', 'ß', '\u007f']) {
      expect(writeJson({ [text]: [text, undefined, -0, Number.NaN, 1e21] })).to.equal(
        JSON.stringify({ [text]: [text, undefined, -0, Number.NaN, 1e21] }),
      );
    }
  });

  it('has stored text in it as it was stored, however deep', () => {
    const stored = new JsonText('{"n": 1.50, "n": 12345678901234567890}');
    expect(writeJson({ data: [{ id: 1, metadata: stored }], tags: stored })).to.equal(
      `{"data":[{"id":1,"metadata":${stored.text}}],"tags":${stored.text}}`,
    );
    expect(writeJson(stored)).to.equal(stored.text);
    expect(JSON.stringify({ stored })).to.equal('{"stored":{"n":12345678901234567000}}');
  });
});
