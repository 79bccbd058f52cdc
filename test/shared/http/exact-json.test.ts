import { expect } from 'chai';
import fc from 'fast-check';
import { nestingOf, parseExactly } from '../../../services/shared/http/exact-json.ts';

describe('exact JSON', () => {
  it('gives back every value as it was', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(parseExactly(text))).to.equal(text);
      }),
    );
  });

  it('keeps the digits of every number', () => {
    const text = '[1.10,12345678901234567890,1e400,-0,0.1e-7,{"1":2.0}]';
    expect(JSON.stringify(parseExactly(text))).to.equal(text);
  });

  it('counts nesting outside of strings', () => {
    for (const [text, depth] of [
      ['1', 0],
      ['[]', 1],
      ['[{"a":[]},[[]]]', 3],
      ['"[[["', 0],
      ['["\\"[[", "\\\\", [1]]', 2],
      ['[[[', 3],
    ] as const) {
      expect(nestingOf(text), text).to.equal(depth);
    }
  });

  it('counts a mebibyte of quotes in no time', () => {
    const start = performance.now();
    nestingOf('"\\'.repeat(500_000));
    expect(performance.now() - start).to.be.below(1_000);
  });
});
