import { expect } from 'chai';
import fc from 'fast-check';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { compileFormat, FormatError } from '../../../../domain/formats/mapping/format.ts';
import { readmeOfFormats } from '../readme-of-formats.ts';

function faultsOf(definition: unknown): string[] {
  try {
    compileFormat(definition);
  } catch (error) {
    if (error instanceof FormatError) {
      return error.faults.map((fault) => `${fault.pointer} ${fault.message}`);
    }
    throw error;
  }
  return [];
}

/** A usable definition with one thing in its only rule, candidate or itself put differently. */
const withRule = (rule: object) => ({
  name: 'n',
  decode: 'json',
  rules: [{ each: '', fields: plain, ...rule }],
});
const plain = { tag_type: [{ const: 'rfid' }], value: [{ item: '/v' }] };
const withValue = (candidate: unknown) => withRule({ fields: { ...plain, value: [candidate] } });
const withTime = (candidate: unknown) => withRule({ fields: { ...plain, observed_at: [candidate] } });

describe('a format definition', () => {
  it('is usable as it comes with tagtrail, under the name of its file', () => {
    expect([...loadBuiltinFormats().keys()]).to.include.members(['csl-cs463', 'tagtrail', 'zebra-iotc']);
    for (const [name, { definition }] of loadBuiltinFormats()) {
      expect([name, ...faultsOf(definition)]).to.deep.equal([definition.name]);
    }
  });

  it('is usable as the description of the language shows it', () => {
    const { definition, language } = readmeOfFormats();
    expect([definition, language].map((text) => faultsOf(JSON.parse(text)))).to.deep.equal([[], []]);
  });

  it('gives the format its name, policies and definition', () => {
    const definition = {
      ...withRule({}),
      description: 'd',
      policies: { time: 'receive', report_unknown: 'off' },
    };
    expect(compileFormat(definition)).to.deep.include({
      name: 'n',
      description: 'd',
      definition,
      policies: { identity: 'mac', time: 'receive', reportUnknown: 'off' },
    });
  });

  const faulty: [string, unknown, string[]][] = [
    ['nothing', undefined, [' must be object']],
    ['an array', [], [' must be object']],
    ['an empty object', {}, [' lacks "name"', ' lacks "decode"', ' lacks "rules"']],
    [
      'an unknown key',
      { ...withRule({}), rule: [] },
      [' has the unknown key "rule"; there may be name, description, decode, ignore, only, rules, policies'],
    ],
    [
      'an unknown key in a rule',
      withRule({ onyl: [] }),
      ['/rules/0 has the unknown key "onyl"; there may be each, split, groups, only, warn, fields'],
    ],
    [
      'an unknown field',
      withRule({ fields: { ...plain, antena: [{ const: 1 }] } }),
      [
        '/rules/0/fields has the unknown key "antena"; there may be tag_type, value, antenna, rssi, observed_at, reader, battery_percent, battery_volts, temperature_c, humidity_percent, button, motion',
      ],
    ],
    [
      'an unknown key in a candidate',
      withValue({ itme: '/v' }),
      [
        '/rules/0/fields/value/0 has the unknown key "itme"; there may be identity, item, parent, grandparent, root, key, topic, const, join, with, where, take, if, transform',
      ],
    ],
    ['no value', withRule({ fields: { tag_type: [{ const: 'rfid' }] } }), ['/rules/0/fields lacks "value"']],
    [
      'a decoding that there is not',
      { ...withRule({}), decode: 'xml' },
      ['/decode must be one of json, json-stream, lines, msgpack, cbor, text, bytes'],
    ],
    [
      'an impossible name',
      { ...withRule({}), name: 'No Name' },
      ['/name must be 1 to 63 lower-case letters, digits, dots and hyphens, the first a letter or digit'],
    ],
    ['no rule', { ...withRule({}), rules: [] }, ['/rules must NOT have fewer than 1 items']],
    [
      'an unknown transform',
      withValue({ item: '/v', transform: ['uper'] }),
      [
        '/rules/0/fields/value/0/transform/0 must be one of number, hex, base64-to-hex, mac, upper, decimal-to-hex, hex-to-decimal, ibeacon, eddystone, rfc3339, time, code, int8, int16, int32, reverse-bytes',
      ],
    ],
    [
      'a transform with an unknown parameter',
      withTime({ item: '/v', transform: [{ epoch: 'minutes' }] }),
      ['/rules/0/fields/observed_at/0/transform/0/epoch must be one of s, ms, us, ns, auto'],
    ],
    [
      'two transforms in one',
      withValue({ item: '/v', transform: [{ scale: 2, substring: [0, 1] }] }),
      ['/rules/0/fields/value/0/transform/0 must NOT have more than 1 properties'],
    ],
    [
      'a bad pointer in each',
      withRule({ each: ['/a', 'b'] }),
      ['/rules/0/each/1 is not a JSON Pointer: "b"'],
    ],
    [
      'a bad pointer among all',
      withRule({ each: { all: ['/a', 'b'] } }),
      ['/rules/0/each/all/1 is not a JSON Pointer: "b"'],
    ],
    [
      'a bad condition of the whole format, and one with any and something else',
      {
        ...withRule({}),
        only: [
          { item: 'k', exists: true },
          { any: [{ item: '/k' }], exists: true },
        ],
      },
      [
        '/only/0/item is not a JSON Pointer: "k"',
        '/only/1 must have nothing beside any',
        '/only/1/any/0 must have exactly one test: exists, in or not',
      ],
    ],
    [
      'bad pointers in candidates',
      withRule({ fields: { ...plain, value: [{ item: 'v' }, { root: '/~2' }] } }),
      [
        '/rules/0/fields/value/0/item is not a JSON Pointer: "v"',
        '/rules/0/fields/value/1/root is not a JSON Pointer: "/~2"',
      ],
    ],
    [
      'two sources in one candidate',
      withValue({ item: '/v', const: 'x' }),
      [
        '/rules/0/fields/value/0 must have exactly one source: item, parent, grandparent, root, key, topic, const or join',
      ],
    ],
    [
      'a candidate without a source',
      withValue({ transform: ['hex'] }),
      [
        '/rules/0/fields/value/0 must have exactly one source: item, parent, grandparent, root, key, topic, const or join',
      ],
    ],
    [
      'where without take',
      withValue({ item: '', where: [{ element: '', exists: true }] }),
      ['/rules/0/fields/value/0 must have where and take together'],
    ],
    [
      'where of a constant',
      withValue({ const: 'x', where: [{ element: '', exists: true }], take: '' }),
      ['/rules/0/fields/value/0 may have where and take with a pointer only'],
    ],
    [
      'with without join',
      withValue({ item: '', with: '-' }),
      ['/rules/0/fields/value/0/with is of use with join only'],
    ],
    [
      'conditions without a place or with two tests',
      withRule({ only: [{ exists: true }, { item: '', exists: true, in: [1] }, { item: '' }] }),
      [
        '/rules/0/only/0 must name exactly one place: item, parent, grandparent, root, key or topic',
        '/rules/0/only/1 must have exactly one test: exists, in or not',
        '/rules/0/only/2 must have exactly one test: exists, in or not',
      ],
    ],
    [
      'a time that is not read as one',
      withTime({ item: '/v', transform: ['upper'] }),
      ['/rules/0/fields/observed_at/0 must end with a time transform: time, rfc3339, epoch or date'],
    ],
    [
      'a time where none belongs',
      withValue({ item: '/v', transform: ['rfc3339'] }),
      ['/rules/0/fields/value/0/transform may have a time transform only at the end of observed_at'],
    ],
    [
      'a date pattern without a zone',
      withTime({ item: '/v', transform: [{ date: { pattern: 'yyyy-MM-dd' } }] }),
      ['/rules/0/fields/observed_at/0/transform/0/date must have either X in the pattern or a zone'],
    ],
    [
      'a date pattern that is none',
      withTime({ item: '/v', transform: [{ date: { pattern: 'yyyy-QQ yyyy', zone: 'UTC' } }] }),
      [
        '/rules/0/fields/observed_at/0/transform/0/date/pattern has QQ, which is unknown or there twice; quote what is text',
        '/rules/0/fields/observed_at/0/transform/0/date/pattern has yyyy, which is unknown or there twice; quote what is text',
        '/rules/0/fields/observed_at/0/transform/0/date/pattern must have yyyy, M and d',
      ],
    ],
    [
      'a zone that there is not',
      withTime({ item: '/v', transform: [{ rfc3339: { zone: 'Mars/Olympus' } }] }),
      [
        '/rules/0/fields/observed_at/0/transform/0/rfc3339/zone is not the name of a time zone: "Mars/Olympus"',
      ],
    ],
    [
      'topic patterns that are none',
      { ...withRule({}), ignore: { topics: ['a/b', 'a#', '#/b/#'] } },
      ['/ignore/topics/1 has # or + within a level', '/ignore/topics/2 has # more than once'],
    ],
    [
      'an identity that its values do not serve',
      { ...withValue({ identity: 'mac', item: '/v' }), policies: { identity: 'ibeacon' } },
      ['/policies/identity must have, in every rule, a candidate for value that serves the identity ibeacon'],
    ],
    [
      'an identity of another field',
      withRule({ fields: { ...plain, reader: [{ item: '/r', identity: 'mac' }] } }),
      ['/rules/0/fields/reader/0/identity is of use in candidates for value only'],
    ],
    [
      'keys that objects inherit',
      JSON.parse('{"name":"n","decode":"json","rules":[],"__proto__":{},"constructor":1}'),
      [
        ' has the unknown key "__proto__"; there may be name, description, decode, ignore, only, rules, policies',
        ' has the unknown key "constructor"; there may be name, description, decode, ignore, only, rules, policies',
        '/rules must NOT have fewer than 1 items',
      ],
    ],
  ];
  for (const [what, definition, faults] of faulty) {
    it(`with ${what} is refused, naming it`, () => {
      expect(faultsOf(definition)).to.have.members(faults);
    });
  }

  it('that is refused says so as an error that a person can read', () => {
    const faulty = withRule({ each: 'x', only: [{ item: '' }] });
    expect(() => compileFormat(faulty))
      .to.throw(
        FormatError,
        'Not a usable format: /rules/0/only/0 must have exactly one test: exists, in or not; /rules',
      )
      .with.property('code', 'invalid_input');
  });

  it('of any kind is either compiled or refused with its faults', () => {
    const words = [
      'name',
      'decode',
      'rules',
      'each',
      'fields',
      'value',
      'tag_type',
      'item',
      'json',
      'hex',
      '/*',
      '',
    ];
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(...words, null, true, 0),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(json.value, (definition) => {
        faultsOf(definition);
        faultsOf({ ...withRule({}), rules: [definition] });
        faultsOf(withValue(definition));
      }),
      { numRuns: 1_000 },
    );
  });
});
