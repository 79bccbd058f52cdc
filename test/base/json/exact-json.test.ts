import { expect } from 'chai';
import fc from 'fast-check';
import { JsonSource, traitsOf } from '../../../base/json/exact-json.ts';
import { JsonText, writeJson } from '../../../base/json/json-text.ts';
import { sameJsonText } from '../../../base/json/same-json.ts';

describe('exact JSON', () => {
  it('cuts every value out of its text as it was written', () => {
    const written = (value: unknown, indent: number) => JSON.stringify(value, null, indent);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), fc.nat(2), (a, b, key, indent) => {
        fc.pre(key !== 'other');
        const text = `{ "other" :\n${written(a, indent)}, ${JSON.stringify(key)}: ${written([a, b], indent)} }`;
        const source = JsonSource.of(text);
        expect(source.member('other').text).to.equal(written(a, indent));
        expect(source.member(key).text).to.equal(written([a, b], indent));
        expect(JSON.parse(source.member(key).element(1).text)).to.deep.equal(JSON.parse(written(b, 0)));
      }),
    );
  });

  it('cuts out the last value of a repeated key, however the key is written', () => {
    const source = JsonSource.of('{"a":1.10,"\\u0061":[ ],"b":"}","a":-0.0e1}');
    expect(source.member('a').text).to.equal('-0.0e1');
    expect(JsonSource.of('{"a":1.10,"\\u0061":[ ] }').member('a').text).to.equal('[ ]');
    expect(() => source.member('c').text).to.throw('not in its text');
  });

  it('writes stored text into an answer as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(writeJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
    const body = { data: [{ a: new JsonText('{"n": 1.10}'), b: null, c: undefined }], total: 1 };
    expect(writeJson(body)).to.equal('{"data":[{"a":{"n": 1.10},"b":null}],"total":1}');
    const half = { '\ud800': '"\ud800"', b: new JsonText('"\ud800"'), c: new JsonText('2') };
    expect(writeJson(half)).to.equal('{"\\ud800":"\\"\\ud800\\"","b":"\ud800","c":2}');
    expect(JSON.stringify(body)).to.equal('{"data":[{"a":{"n":1.1},"b":null}],"total":1}');
  });

  it('tells the same JSON from other JSON by its values, and its numbers by their digits', async () => {
    for (const [a, b, isSame] of [
      ['{"a":1,"b":[2]}', '{ "b" : [2],\n"a":1 }', true],
      ['{"a":"\\u0041"}', '{"a":"A"}', true],
      ['{"a":1,"a":2}', '{"a":2}', true],
      ['{"a":1.10}', '{"a":1.1}', false],
      ['{"a":1.10,"b":1.1}', '{"b":1.1,"a":1.10}', true],
      ['{"a":1.10,"b":1.1}', '{"b":1.10,"a":1.1}', false],
      ['[12345678901234567890]', '[12345678901234567891]', false],
      ['[-0]', '[0]', false],
      ['[1e3]', '[1000]', false],
      ['["1.10"]', '[1.10]', false],
      ['["\\\\u00001.1"]', '[1.1]', false],
      ['[[],{}]', '[{},[]]', false],
      ['{"a":null}', '{"b":null}', false],
    ] as const) {
      expect(await sameJsonText(a, b), `${a} ${b}`).to.equal(isSame);
    }
  });

  it('is the same JSON when it is written anew', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'));
        expect(await sameJsonText(JSON.stringify(value), JSON.stringify(value, null, 1))).to.equal(true);
      }),
    );
  });

  it('counts nesting outside of strings', () => {
    for (const [text, depth] of [
      ['1', 0],
      ['[]', 1],
      ['[{"a":[]},[[]]]', 3],
      ['"[[["', 0],
      ['["\\"[[", "\\\\", [1]]', 2],
      ['["\\u005b", "\\\\u", [1]]', 2],
      ['[[[', 3],
    ] as const) {
      expect(traitsOf(text).nesting, text).to.equal(depth);
    }
  });

  it('finds halves of pairs and U+0000 in escapes, and nothing that only looks so', () => {
    for (const [text, hasLoneSurrogate, hasNul] of [
      ['"\\ud83d\\ude00 \\\\ud83d \\\\u0000"', false, false],
      ['"\\uD83D"', true, false],
      ['"\\ude00\\ud83d"', true, false],
      ['"\\ud83d\\ud83d\\ude00"', true, false],
      ['"\\ud83d\\\\ude00"', true, false],
      ['{"\\u0000":1}', false, true],
      ['"\\\\\\u0000"', false, true],
    ] as const) {
      expect(traitsOf(text), text).to.include({ hasLoneSurrogate, hasNul });
    }
  });
});
