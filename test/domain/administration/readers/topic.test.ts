import { expect } from 'chai';
import fc from 'fast-check';
import {
  faultOfNewTopic,
  faultOfTopicFilter,
  topicMatches,
  topicsOverlap,
} from '../../../../domain/administration/readers/topic.ts';
import { timeOf } from '../../../support/held-loop.ts';

describe('topics', () => {
  const matching: [string, string, boolean][] = [
    ['a/b', 'a/b', true],
    ['a/b', 'a/B', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a', false],
    ['a/+', 'a/b/c', false],
    ['+/+', '/b', true],
    ['a/#', 'a', true],
    ['a/#', 'a/', true],
    ['a/', 'a', false],
    ['+/', 'a/', true],
    ['a/#', 'a/b/c', true],
    ['#', 'a/b', true],
    ['#', '$SYS/load', false],
    ['+/load', '$SYS/load', false],
  ];
  for (const [filter, topic, expected] of matching) {
    it(`${filter} ${expected ? 'takes' : 'does not take'} ${topic}`, () => {
      expect(topicMatches(filter, topic)).to.equal(expected);
    });
  }

  it('overlap exactly if some topic belongs to both', () => {
    const level = fc.constantFrom('a', 'b');
    const filter = fc
      .tuple(fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([levels, isOpen]) => (isOpen ? [...levels, '#'] : levels).join('/'));
    const topics = ['a', 'b', 'a/a', 'a/b', 'b/a', 'b/b'].flatMap((topic) => [
      topic,
      ...['a', 'b', 'a/a', 'a/b', 'b/a', 'b/b'].map((rest) => `${topic}/${rest}`),
    ]);
    fc.assert(
      fc.property(filter, filter, (one, other) => {
        const isShared = topics.some((topic) => topicMatches(one, topic) && topicMatches(other, topic));
        expect(topicsOverlap(one, other)).to.equal(isShared);
        expect(topicsOverlap(other, one)).to.equal(isShared);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are compared in a time that grows with their length, and so are those of 30,000 levels', () => {
    const deep = 'a/'.repeat(30_000);
    const time = timeOf(() => {
      expect(topicsOverlap(`${deep}x`, `${deep}y`)).to.equal(false);
      expect(topicMatches(`${deep}+`, `${deep}y`)).to.equal(true);
    });
    expect(time).to.be.below(100);
  });

  for (const [filter, fault] of [
    ['', '1 to 65535 bytes'],
    ['ä'.repeat(257), '1 to 512 bytes'],
    ['a/'.repeat(32), 'at most 32 levels'],
    ['a\0b', 'U+0000'],
    ['$SYS/x', 'reserved'],
    ['a/b+', 'whole level'],
    ['a/#/b', 'last level'],
  ] as const) {
    it(`are refused where they have a fault: ${JSON.stringify(filter)}`, () => {
      expect(faultOfNewTopic(filter)).to.include(fault);
    });
  }

  it('are taken with wildcards as whole levels', () => {
    expect(['a', '/', 'a/+/b', 'a/#', '#', 'ä ö'].map(faultOfNewTopic)).to.deep.equal(Array(6).fill(null));
    const longest = ['a'.repeat(512), 'a/'.repeat(31)];
    expect(longest.map(faultOfNewTopic)).to.deep.equal([null, null]);
  });

  it('may be longer where they are registered already', () => {
    expect(['a'.repeat(65_535), 'a/'.repeat(99)].map(faultOfTopicFilter)).to.deep.equal([null, null]);
  });
});
