import { expect } from 'chai';
import { nextLook } from '../../../../domain/alerts/conditions/next-look.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import type { Stretch } from '../../../../domain/alerts/conditions/stretch.ts';
import {
  type Listening,
  listeningOf as listeningBy,
} from '../../../../domain/presence/coverage/listening-times.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aroundCourse, assetOf, rulesOf, stepOf, timeOf } from './evidence-of-course.ts';
import { type Course, END, EXPECTED, READERS, randomCourse, type Span } from './random-course.ts';
import { stretchesByDefinition } from './stretches-by-definition.ts';

/** Of messages that came at once, and of others that came long after, which prove the same. */
function listeningOf(
  course: Course,
  isLate: (at: number) => boolean,
  expected = (_reader: number) => EXPECTED,
): ReadonlyMap<number, Listening> {
  return new Map(
    READERS.map((reader) => {
      const instants = (course.heard[reader] ?? []).map((at) => ({
        since: timeOf(at),
        until: timeOf(at),
        at,
      }));
      const late = instants.filter(({ at }) => isLate(at));
      const received = { since: timeOf(10_000), until: timeOf(10_000) };
      const evidence = {
        heard: [...instants.filter(({ at }) => !isLate(at)), ...(late.length === 0 ? [] : [received])],
        proven: late,
        disconnected: [],
        expectations: [{ from: Number.NEGATIVE_INFINITY, expected: timeOf(expected(reader)) - timeOf(0) }],
      };
      return [reader, listeningBy(evidence)];
    }),
  );
}

const said = (stretches: readonly Stretch[]) =>
  stretches.map(({ since, until, alarmSince }) => ({
    since: stepOf(since),
    until: until === null ? null : stepOf(until),
    alarmSince: alarmSince === null ? null : stepOf(alarmSince),
  }));

function stretchesIn(course: Course, window: Span, isLate = (_at: number) => false): Stretch[] {
  const around = aroundCourse(course, listeningOf(course, isLate), window);
  return stretchesOf(rulesOf(course), assetOf(course, window.until), around);
}

describe('the stretches in which conditions hold', () => {
  it('are, of 1,000 random cases, what counting step by step says', () => {
    const met = new Map<string, number>();
    for (let index = 0; index < 1_000; index++) {
      const random = new Random(83, index);
      const course = randomCourse(random);
      const since = random.below(END);
      const window = { since, until: since + 1 + random.below(END - since) };
      const expected = stretchesByDefinition(course, EXPECTED, window.until).filter(
        ({ until }) => until === null || until > window.since,
      );
      expect(said(stretchesIn(course, window)), `case ${index}`).to.deep.equal(expected);
      for (const { until, alarmSince } of expected) {
        const what = `${course.kind} ${until === null ? 'open' : 'over'} ${alarmSince === null ? '' : 'alarm'}`;
        met.set(what, (met.get(what) ?? 0) + 1);
      }
    }
    for (const kind of ['overdue', 'dwell', 'not_allowed', 'must_be']) {
      const counts = [...met].filter(([what]) => what.startsWith(kind)).map(([, count]) => count);
      expect(counts.length, kind).to.equal(kind === 'overdue' || kind === 'dwell' ? 4 : 2);
      expect(Math.min(...counts), kind).to.be.greaterThan(1);
    }
  });

  it('are the same, of 1,000 random cases, whichever messages came late', () => {
    for (let index = 0; index < 1_000; index++) {
      const random = new Random(89, index);
      const course = randomCourse(random);
      const late = new Set(Array.from({ length: 60 }, () => random.below(END)));
      const window = { since: 0, until: END };
      expect(
        stretchesIn(course, window, (at) => late.has(at)),
        `case ${index}`,
      ).to.deep.equal(stretchesIn(course, window));
    }
  });

  it('stay the same until the next look, of up to 2,000 random cases, while nobody reads the asset', () => {
    const met = { waited: 0, heardAgain: 0, listened: 0, over: 0 };
    // Fewer do not meet all of what is counted.
    const cases = Math.max(800, randomSets(2_000));
    for (let index = 0; index < cases; index++) {
      const random = new Random(97, index);
      const course = randomCourse(random);
      const now = random.below(END);
      const gaps = READERS.map(() => (random.once(2) ? EXPECTED : random.pick([2, 30])));
      const knownBy = (until: number) => {
        const known = upTo(course, now, until);
        const listening = listeningOf(
          known,
          () => false,
          (reader) => gaps[reader] ?? 0,
        );
        return { known, around: aroundCourse(known, listening, { since: 0, until }) };
      };
      const { known, around } = knownBy(now);
      const asset = assetOf(known, now);
      const { at, unread, heard } = nextLook(rulesOf(known), asset, around);
      const before = said(stretchesOf(rulesOf(known), asset, around));
      met.over += heard.some(({ isOver }) => isOver) ? 1 : 0;
      let next = stepOf(Math.min(at ?? timeOf(END), unread ?? timeOf(END), timeOf(END)));
      for (let until = now + 1; until <= next; until++) {
        const then = knownBy(until).around;
        const there = heard.map((wait) => ({ wait, is: then.heard(wait.locationId) }));
        if (there.some(({ wait, is }) => is.provenUntil >= wait.provenUntil)) {
          met.heardAgain += 1;
          break;
        }
        for (const { wait, is } of there) {
          if (is.listenedSince !== null && Number.isFinite(wait.listenedFor)) {
            met.listened += 1;
            next = Math.min(next, stepOf(is.listenedSince + wait.listenedFor));
          }
        }
        if (until <= next) {
          const stretches = said(stretchesOf(rulesOf(known), assetOf(known, until), then));
          expect(stretches, `case ${index} at ${until}`).to.deep.equal(before);
          met.waited += 1;
        }
      }
    }
    expect(met.waited).to.be.greaterThan(5 * cases);
    expect(Math.min(...Object.values(met))).to.be.greaterThan(0);
  });
});

/** What is known of an asset by a step, and of readers by another. */
function upTo(course: Course, now: number, heardBy: number): Course {
  const before = ({ from }: { from: number }) => from < now;
  return {
    ...course,
    heard: course.heard.map((messages) => messages.filter((at) => at < heardBy)),
    parents: course.parents.map((versions) => versions.filter(before)),
    watches: course.watches.map((versions) => versions.filter(before)),
    reads: course.reads.filter(({ at }) => at < now),
    sweeps: course.sweeps.filter(({ until }) => until < now),
    colors: course.colors.filter(before),
    deletedAt: course.deletedAt !== null && course.deletedAt < now ? course.deletedAt : null,
  };
}
