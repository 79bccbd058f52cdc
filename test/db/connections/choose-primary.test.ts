import { expect } from 'chai';
import type { ServerAnswer } from '../../../db/timescale/connections/ask-server.ts';
import {
  choosePrimary,
  faultOfServers,
  type Known,
  nameOf,
} from '../../../db/timescale/connections/choose-primary.ts';
import { KnownPrimaries } from '../../../db/timescale/connections/known-primaries.ts';

function answer(
  host: string,
  standing: ServerAnswer['standing'],
  timeline: number,
  more: Partial<ServerAnswer> = {},
): ServerAnswer {
  return { address: { host, port: 1 }, standing, timeline, system: '7', startedAt: host, ...more };
}

describe('the primary among answers', () => {
  const choose = (answers: ServerAnswer[], known?: Known): string | null => {
    try {
      const chosen = choosePrimary(answers, () => known);
      return chosen === null ? null : nameOf(chosen.address);
    } catch (error) {
      return String(error);
    }
  };
  const KNOWN = { system: '7', timeline: 2, startedAt: 'b' };

  for (const [name, answers, known, expected] of [
    ['takes changes', [answer('a', 'standby', 1), answer('b', 'primary', 1)], undefined, 'b:1'],
    ['is none of the standbys', [answer('a', 'standby', 1)], undefined, null],
    ['is the one promoted last', [answer('a', 'primary', 1), answer('b', 'primary', 2)], undefined, 'b:1'],
    ['is of no older timeline than is known', [answer('a', 'primary', 1)], KNOWN, null],
    [
      'is of no older timeline than a standby has',
      [answer('a', 'primary', 1), answer('c', 'standby', 2)],
      undefined,
      null,
    ],
    ['may be read-only', [answer('a', 'read-only', 1), answer('b', 'standby', 1)], undefined, 'a:1'],
    [
      'is rather one that takes changes',
      [answer('a', 'read-only', 1), answer('b', 'primary', 1)],
      undefined,
      'b:1',
    ],
    [
      'is read-only rather than out of date',
      [answer('a', 'primary', 1), answer('b', 'read-only', 2)],
      undefined,
      'b:1',
    ],
    [
      'may have two names',
      [answer('a', 'primary', 1), answer('b', 'primary', 1, { startedAt: 'a' })],
      undefined,
      'a:1',
    ],
    [
      'is neither of two on one timeline',
      [answer('a', 'primary', 1), answer('b', 'primary', 1)],
      undefined,
      'Error: two servers take changes: a:1 (timeline 1) and b:1 (timeline 1)',
    ],
    ['stays the one that is known', [answer('a', 'primary', 2), answer('b', 'primary', 2)], KNOWN, 'b:1'],
    [
      'is neither of two databases',
      [answer('a', 'primary', 1), answer('b', 'primary', 2, { system: '8' })],
      undefined,
      'Error: a:1 and b:1 are different databases (system identifiers 7 and 8)',
    ],
  ] as const) {
    it(name, () => {
      expect(choose([...answers], known)).to.equal(expected);
    });
  }

  it('is missed beside one that is out of date', () => {
    const fault = faultOfServers([answer('a', 'primary', 1), answer('c', 'standby', 2)], () => undefined);
    expect(fault?.message).to.equal(
      'a:1 takes changes, and is not used: it is of timeline 1, and a standby was promoted to 2',
    );
    expect(faultOfServers([answer('a', 'primary', 1), answer('c', 'standby', 1)], () => undefined)).to.equal(
      null,
    );
  });
});

describe('a primary that is known', () => {
  it('is left once a standby is heard of that was promoted in its place', () => {
    const primaries = new KnownPrimaries();
    const [first, second] = [answer('a', 'primary', 1), answer('b', 'primary', 2)];
    const left: string[] = [];
    primaries.note([first], first);
    primaries.hold(first, () => left.push('early'));
    primaries.hold(first, () => left.push('ended'))();
    expect([primaries.isEnough(first), primaries.isEnough(second)]).to.deep.equal([true, true]);
    primaries.note([first], first);
    expect(left).to.deep.equal([]);
    primaries.note([first, second], second);
    // What was asked before may be answered after.
    primaries.note([first], first);
    primaries.hold(first, () => left.push('late'));
    expect(new Set(left)).to.deep.equal(new Set(['early', 'late']));
    expect(primaries.of('7')).to.equal(second);
  });
});
