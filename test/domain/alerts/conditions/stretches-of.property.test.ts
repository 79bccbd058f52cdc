import { expect } from 'chai';
import { type HeardAt, nextLook } from '../../../../domain/alerts/conditions/next-look.ts';
import type { Stretch } from '../../../../domain/alerts/conditions/stretch.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/stretches-of.ts';
import { type Listening, provenListening } from '../../../../domain/presence/listening-times.ts';
import { Random } from '../../../support/random.ts';
import { aroundCourse, assetOf, rulesOf, stepOf, timeOf } from './evidence-of-course.ts';
import { type Course, END, EXPECTED, READERS, randomCourse, type Span } from './random-course.ts';
import { stretchesByDefinition } from './stretches-by-definition.ts';

/** Of messages that came at once, and of others that came long after, which prove the same. */
function listeningOf(course: Course, isLate: (at: number) => boolean): ReadonlyMap<number, Listening[]> {
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
        expectations: [{ from: Number.NEGATIVE_INFINITY, expected: timeOf(EXPECTED) - timeOf(0) }],
      };
      return [reader, provenListening(evidence)];
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

  it('stay the same until the next look, of 300 random cases, while nobody reads the asset', () => {
    let waited = 0;
    let heardAgain = 0;
    for (let index = 0; index < 300; index++) {
      const random = new Random(97, index);
      const course = randomCourse(random);
      const now = random.below(END);
      const known = upTo(course, now, now);
      const around = aroundCourse(
        known,
        listeningOf(known, () => false),
        { since: 0, until: now },
      );
      const asset = assetOf(known, now);
      const { at, unread, heard } = nextLook(rulesOf(known), asset, around);
      const next = at === null || unread === null ? (at ?? unread) : Math.min(at, unread);
      const before = said(stretchesOf(rulesOf(known), asset, around));
      const last = next === null ? END : Math.min(END, Math.floor(stepOf(next)));
      for (let until = now + 1; until <= last; until++) {
        if (heard !== null && isHeard(upTo(course, now, until), heard, until)) {
          heardAgain += 1;
          break;
        }
        expect(
          said(stretchesIn(upTo(course, now, until), { since: 0, until })),
          `case ${index} at ${until}`,
        ).to.deep.equal(before);
        waited += 1;
      }
    }
    expect(waited).to.be.greaterThan(1_000);
    expect(heardAgain).to.be.greaterThan(0);
  });
});

/** Whether readers have said by then what is waited for. */
function isHeard(course: Course, heard: HeardAt, until: number): boolean {
  const listening = listeningOf(course, () => false);
  const there = aroundCourse(course, listening, { since: 0, until }).heard(heard.locationId);
  return (
    there.provenUntil >= heard.provenUntil ||
    (there.listenedSince !== null && there.listenedSince + heard.listenedFor <= timeOf(until))
  );
}

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
