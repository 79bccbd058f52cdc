import { expect } from 'chai';
import { compileFormat, compileTopicPattern } from '../../../../domain/formats/mapping/format.ts';
import type {
  ConditionDefinition,
  FieldsDefinition,
} from '../../../../domain/formats/mapping/language/definition.ts';
import type { Policies } from '../../../../domain/formats/mapping/run.ts';
import { Scope } from '../../../../domain/formats/mapping/scope.ts';
import { formatOf, map, outcomesOf, readsOf } from '../../../support/mapping.ts';

const values = (mapped: ReturnType<typeof map>) => readsOf(mapped).map((read) => read.value);

describe('a rule', () => {
  describe('finds its items', () => {
    it('by the first pointer that matches', () => {
      const format = formatOf({ each: ['/a/*', '/b/*', ''] });
      expect(values(map(format, { a: [{ v: '1' }], b: [{ v: '2' }], v: '3' }))).to.deep.equal(['1']);
      expect(values(map(format, { b: [{ v: '2' }], v: '3' }))).to.deep.equal(['2']);
      expect(values(map(format, { a: 'no array', v: '3' }))).to.deep.equal(['3']);
      expect(values(map(format, { a: [], v: '3' }))).to.deep.equal([]);
    });

    it('through several arrays, passing over what has none', () => {
      const format = formatOf({ each: '/a/*/b/*' });
      const payload = { a: [{ b: [{ v: '1' }, { v: '2' }] }, {}, 7, null, { b: [{ v: '3' }] }] };
      expect(values(map(format, payload))).to.deep.equal(['1', '2', '3']);
    });

    it('only where the innermost array is, or one on the way is empty', () => {
      const format = formatOf({ each: '/a/*/b/*' });
      const ignored = { outcome: 'ignored', reason: 'nothing at /a/*/b/*' };
      expect(map(format, { a: [{}, 7] })).to.deep.equal(ignored);
      expect(map(format, { a: {} })).to.deep.equal(ignored);
      expect(values(map(format, { a: [] }))).to.deep.equal([]);
      expect(values(map(format, { a: [{ b: [] }] }))).to.deep.equal([]);
    });

    it('by all of its pointers, where an element that lacks one may have items at another', () => {
      const format = formatOf({ each: { all: ['/a/*/b/*', '/a/*/c', '/d'] } });
      const payload = { a: [{ b: [{ v: '1' }, null] }, { c: { v: '2' } }, {}], d: { v: '3' } };
      expect(outcomesOf(map(format, payload))).to.deep.equal([
        'read barcode 1',
        'rejected: no value (nothing at item /v)',
        'read barcode 2',
        'read barcode 3',
      ]);
      expect(map(format, { a: [{}], e: 1 })).to.deep.equal({
        outcome: 'ignored',
        reason: 'nothing at /a/*/b/* or /a/*/c or /d',
      });
      const twenty = { all: Array.from({ length: 20 }, () => '/*') };
      expect(map(formatOf({ each: twenty }), Array(600).fill({ v: '1' }))).to.deep.equal({
        outcome: 'rejected',
        reason: 'payload has more than 10000 items',
      });
    });

    it('under keys with slashes, tildes and digits', () => {
      const format = formatOf({
        each: '/a~1b~0/0/*',
        fields: { tag_type: [{ const: 'rfid' }], value: [{ item: '/rssi@1m' }] },
      });
      expect(values(map(format, { 'a/b~': [[{ 'rssi@1m': 'x' }]] }))).to.deep.equal(['x']);
      expect(values(map(format, { 'a/b~': { 0: [{ 'rssi@1m': 'x' }] } }))).to.deep.equal(['x']);
    });

    it('in elements of arrays only: a star is not a member of an object', () => {
      expect(map(formatOf({ each: '/*' }), { a: { v: '1' } })).to.deep.equal({
        outcome: 'ignored',
        reason: 'nothing at /*',
      });
    });

    it('in members of objects, whose keys are values', () => {
      const fields: FieldsDefinition = {
        tag_type: [{ const: 'ble' }],
        value: [{ key: -1, transform: ['mac'] }],
        rssi: [{ item: '/rssi' }, { item: '' }],
        reader: [{ key: 0 }],
      };
      const format = formatOf({ each: ['/gateways/{}/tags/{}', '/{}'], fields });
      const tags = { 'c3:00:00:25:00:01': { rssi: -61 }, 'c3:00:00:25:00:02': null };
      const mapped = map(format, { gateways: { g1: { tags }, g2: { tags: {} }, g3: {} } });
      expect(readsOf(mapped).map(({ value, rssi, reader }) => [value, rssi, reader])).to.deep.equal([
        ['C30000250001', -61, 'g1'],
        ['C30000250002', null, 'g1'],
      ]);
      expect(values(map(format, { 'c3:00:00:25:00:03': -60 }))).to.deep.equal(['C30000250003']);
      expect(map(format, [-60])).to.include({ outcome: 'ignored' });
    });

    it('with the elements of parallel arrays, and members of parallel objects, beside each', () => {
      const fields: FieldsDefinition = {
        tag_type: [{ const: 'rfid' }],
        value: [{ item: '' }],
        rssi: [{ parent: '/rssi/$' }, { grandparent: '/rssi/$' }],
        antenna: [{ root: '/ports/$/0' }],
      };
      const read = (each: string, payload: unknown) =>
        readsOf(map(formatOf({ each, fields }), payload)).map(({ value, rssi, antenna }) => [
          value,
          rssi,
          antenna,
        ]);
      expect(read('/epc/*', { epc: ['A', 'B', 'C'], rssi: [-60, -61], ports: [[3], [4]] })).to.deep.equal([
        ['A', -60, 3],
        ['B', -61, 4],
        ['C', null, null],
      ]);
      const byKey = { epc: { x: 'A', toString: 'C' }, rssi: { x: -60 }, ports: { x: [3] } };
      expect(read('/epc/{}', byKey)).to.deep.equal([
        ['A', -60, 3],
        ['C', null, null],
      ]);
      // A member that is called so is meant, as in payloads made from XML.
      expect(read('/epc/*', { epc: ['A'], rssi: { $: -60 } })).to.deep.equal([['A', -60, null]]);
    });

    it('with the parent of the parent, which is the document at last', () => {
      const fields: FieldsDefinition = {
        tag_type: [{ const: 'rfid' }],
        value: [{ item: '' }],
        reader: [{ grandparent: '/name' }],
      };
      const read = (each: string, payload: unknown) =>
        readsOf(map(formatOf({ each, fields }), payload)).map(({ reader }) => reader);
      expect(read('/a/*/b/*', { name: 'root', a: [{ name: 'x', b: ['1'] }] })).to.deep.equal(['root']);
      expect(read('/a/*/b/c/*', { name: 'root', a: [{ name: 'x', b: { c: ['1'] } }] })).to.deep.equal(['x']);
      expect(read('/a/*', { name: 'root', a: ['1'] })).to.deep.equal(['root']);
    });

    it('with the nearest object around each as its parent', () => {
      const fields: FieldsDefinition = {
        tag_type: [{ const: 'rfid' }],
        value: [{ item: '' }],
        reader: [{ parent: '/name' }],
      };
      const read = (each: string, payload: unknown) =>
        readsOf(map(formatOf({ each, fields }), payload)).map((one) => `${one.reader} ${one.value}`);
      expect(
        read('/a/*/b/*', {
          name: 'root',
          a: [
            { name: 'x', b: ['1'] },
            { name: 'y', b: ['2'] },
          ],
        }),
      ).to.deep.equal(['x 1', 'y 2']);
      expect(read('/*/*', [['1']])).to.deep.equal(['null 1']);
      expect(read('/a/*', { name: 'root', a: ['1'] })).to.deep.equal(['root 1']);
    });
  });

  describe('ignores, and does not reject, what fails a condition', () => {
    const cases: [ConditionDefinition, string[]][] = [
      [{ item: '/k', exists: true }, ['1', '"x"', '"1"', 'false', '""', '{}']],
      [{ item: '/k', exists: false }, ['null', 'absent']],
      [{ item: '/k', in: [1, 'x'] }, ['1', '"x"']],
      [{ item: '/k', not: [1, 'x'] }, ['"1"', 'false', '""', '{}', 'null', 'absent']],
      [{ item: '/k', in: [false] }, ['false']],
      [{ root: '/0/first', exists: true }, ['all']],
      [{ root: '/0/other', exists: true }, []],
      [{ topic: 1, in: ['data'] }, ['all']],
      [{ topic: -1, in: ['data'] }, ['all']],
      [{ topic: 2, exists: false }, ['all']],
      [{ topic: -3, in: ['data'] }, []],
      [
        {
          any: [
            { item: '/k', in: [1, 'x'] },
            { item: '/k', exists: false },
          ],
        },
        ['1', '"x"', 'null', 'absent'],
      ],
    ];
    const inputs = ['1', '"x"', '"1"', 'false', '""', '{}', 'null', 'absent'];
    const payload = `[${inputs
      .map((k) => `{"first":1,"v":${JSON.stringify(k)}${k === 'absent' ? '' : `,"k":${k}`}}`)
      .join(',')}]`;
    for (const [condition, passing] of cases) {
      it(JSON.stringify(condition), () => {
        const mapped = map(formatOf({ only: [condition] }), payload, 'gw/data');
        if (mapped.outcome === 'ignored') {
          expect(passing).to.deep.equal([]);
          return;
        }
        const outcomes = outcomesOf(mapped);
        const read = outcomes.filter((outcome) => outcome.startsWith('read'));
        const expected = passing[0] === 'all' ? inputs : passing;
        expect(read).to.have.members(expected.map((value) => `read barcode ${value}`));
        expect(outcomes.filter((outcome) => outcome.startsWith('ignored'))).to.have.length(
          8 - expected.length,
        );
      });
    }

    it('comparing long numbers too', () => {
      const format = formatOf({ only: [{ item: '/k', not: [2 ** 60] }] });
      expect(outcomesOf(map(format, '{"k":1152921504606846976,"v":"x"}'))[0]).to.match(/^ignored/);
    });
  });

  it('keeps to the conditions of the whole format, too', () => {
    const fields: FieldsDefinition = { tag_type: [{ const: 'rfid' }], value: [{ item: '/v' }] };
    const format = compileFormat({
      name: 'two',
      decode: 'json',
      only: [
        { item: '/gone', exists: false },
        { topic: 0, in: ['gw'] },
        { key: 0, not: [3] },
      ],
      rules: ['/a/*', '/b/*'].map((each) => ({ each, only: [{ item: '/v', not: ['no'] }], fields })),
    });
    const payload = { a: [{ v: '1' }, { v: '2', gone: true }, { v: 'no' }, { v: '4' }], b: [{ v: '5' }] };
    expect(outcomesOf(map(format, payload, 'gw/data')).toSorted()).to.deep.equal([
      'ignored: item /gone exists',
      'ignored: item /v is one of: no',
      'ignored: key 0 is one of: 3',
      'read rfid 1',
      'read rfid 5',
    ]);
    expect(map(format, payload, 'other/data')).to.deep.include({ outcome: 'ignored' });
  });

  it('of several takes what the other passes over, and what all pass over is ignored once', () => {
    const rule = (kind: string) => ({
      each: '/*',
      only: [{ item: '/kind', in: [kind] }],
      fields: { tag_type: [{ const: kind }], value: [{ item: '/v' }] },
    });
    const format = compileFormat({ name: 'two', decode: 'json', rules: [rule('rfid'), rule('barcode')] });
    const payload = [
      { kind: 'barcode', v: 'a' },
      { kind: 'rfid', v: 'b' },
      { kind: 'status', v: 'c' },
    ];
    expect(outcomesOf(map(format, payload)).toSorted()).to.deep.equal([
      'ignored: item /kind is none of: rfid',
      'read barcode a',
      'read rfid b',
    ]);
  });
});

describe('a candidate', () => {
  const fields = (...value: FieldsDefinition['value']): FieldsDefinition => ({
    tag_type: [{ const: 'rfid' }],
    value,
  });

  it('is passed over if it is missing, null, or not usable in the field', () => {
    const format = formatOf({ fields: fields({ item: '/a' }, { item: '/b' }, { const: 'c' }) });
    const payload = [{ a: 'x' }, { b: 'y' }, { a: null, b: 'y' }, { a: '', b: 'y' }, { a: 5 }, {}];
    expect(values(map(format, payload))).to.deep.equal(['x', 'y', 'y', 'y', 'c', 'c']);
  });

  it('is considered only if its conditions hold', () => {
    const format = formatOf({
      fields: fields(
        {
          item: '/a',
          if: [
            { item: '/k', in: [1] },
            { topic: 0, in: ['t'] },
          ],
        },
        { const: 'else' },
      ),
    });
    expect(
      values(
        map(
          format,
          [
            { a: 'x', k: 1 },
            { a: 'x', k: 2 },
          ],
          't',
        ),
      ),
    ).to.deep.equal(['x', 'else']);
    expect(values(map(format, [{ a: 'x', k: 1 }], 'u'))).to.deep.equal(['else']);
  });

  it('is the element of an array for which all conditions hold', () => {
    const where = [
      { element: '/k', in: ['epc'] },
      { element: '/bad', exists: false },
    ];
    const format = formatOf({ fields: fields({ item: '/list', where, take: '/v' }, { const: 'none' }) });
    const list = [
      { k: 'tid', v: '1' },
      { k: 'epc', v: '2', bad: 1 },
      { k: 'epc', v: '3' },
      { k: 'epc', v: '4' },
    ];
    expect(values(map(format, [{ list }, { list: [] }, { list: 'x' }, {}]))).to.deep.equal([
      '3',
      'none',
      'none',
      'none',
    ]);
  });

  it('joins texts and numbers, and is unusable if one of them is', () => {
    const format = formatOf({
      fields: fields(
        { join: [{ item: '/a', transform: ['upper'] }, { const: 7 }, { topic: -1 }], with: '-' },
        { const: 'none' },
      ),
    });
    expect(values(map(format, [{ a: 'x' }, { a: 5 }, {}], 'p/q'))).to.deep.equal(['X-7-q', 'none', 'none']);
  });

  it('of an identity serves that identity only; one that names none serves all', () => {
    const format = formatOf({ fields: fields({ identity: 'raw', item: '/r' }, { item: '/v' }) });
    const payload = [{ r: 'raw', v: 'plain' }];
    expect(format.identities).to.deep.equal(['mac', 'ibeacon', 'eddystone', 'raw']);
    expect(values(map(format, payload))).to.deep.equal(['plain']);
    expect(values(map(format, payload, 't', { identity: 'raw' }))).to.deep.equal(['raw']);
    const macOnly = formatOf({ fields: fields({ identity: 'mac', item: '/v' }) });
    expect(macOnly.identities).to.deep.equal(['mac']);
    expect(outcomesOf(map(macOnly, payload, 't', { identity: 'raw' }))).to.deep.equal([
      'rejected: the format has no value for the identity raw',
    ]);
  });
});

describe('a large value at a place that all items look at', () => {
  const [rule] = formatOf({
    fields: {
      tag_type: [{ const: 'barcode' }],
      value: [{ item: '/v' }],
      antenna: [{ root: '/o' }],
      rssi: [{ root: '/o' }],
      observed_at: [{ root: '/o', transform: ['time'] }],
    },
  }).rules;
  const scopeOf = (o: unknown) => {
    const scope = new Scope('site/reader', 1_000);
    scope.enter({ o });
    return scope;
  };

  it('is an object: its members are listed once for each use', () => {
    let listings = 0;
    const ownKeys = (target: object) => {
      listings += 1;
      return Reflect.ownKeys(target);
    };
    const object = new Proxy({ a: 1 }, { ownKeys });
    const scope = scopeOf(object);
    for (let item = 0; item < 3; item++) {
      expect(rule?.fields.antenna(scope)).to.equal('{"a":1}');
      expect(rule?.fields.givenRssi(scope)).to.equal(object);
      expect(rule?.fields.givenTime(scope)?.given).to.equal(object);
    }
    expect(listings).to.equal(2);
  });

  it('is a text: only its first 4,096 characters count', () => {
    const scope = scopeOf(`${' '.repeat(4_096)}a`);
    expect(rule?.fields.antenna(scope)).to.equal(null);
    expect(rule?.fields.givenRssi(scope)).to.equal(undefined);
    expect(rule?.fields.givenTime(scope)).to.equal(undefined);
  });
});

describe('the policy on unknown tags', () => {
  it('is the reader’s, else the format’s, else by kind of tag', () => {
    const payload = [
      { k: 'ble', v: 'x' },
      { k: 'rfid', v: 'x' },
    ];
    const fields: FieldsDefinition = { tag_type: [{ item: '/k' }], value: [{ item: '/v' }] };
    const reported = (more: Record<string, unknown>, policies: Partial<Policies> | undefined) =>
      readsOf(map(formatOf({ fields }, more), payload, 't', policies)).map((read) => read.reportUnknown);
    const on = { policies: { report_unknown: 'on' } };
    expect(reported({}, undefined)).to.deep.equal([false, true]);
    expect(reported({}, { reportUnknown: 'off' })).to.deep.equal([false, false]);
    expect(reported(on, {})).to.deep.equal([true, true]);
    expect(reported(on, { reportUnknown: null })).to.deep.equal([true, true]);
    expect(reported(on, { reportUnknown: 'off' })).to.deep.equal([false, false]);
  });
});

describe('a topic pattern', () => {
  const cases: [string, string, boolean][] = [
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a', false],
    ['+/+', 'a/b', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'a', true],
    ['#', 'a/b', true],
    ['#/LWT', 'LWT', true],
    ['#/LWT', 'a/b/LWT', true],
    ['#/LWT', 'a/b/LWT/c', false],
    ['a/#/c', 'a/c', true],
    ['a/#/c', 'a/b/b/c', true],
    ['a/#/a', 'a', false],
    ['a//b', 'a//b', true],
  ];
  for (const [pattern, topic, expected] of cases) {
    it(`${pattern} ${expected ? 'matches' : 'does not match'} ${topic}`, () => {
      const matches = compileTopicPattern(pattern);
      expect(typeof matches === 'function' && matches(topic.split('/'))).to.equal(expected);
    });
  }
});
