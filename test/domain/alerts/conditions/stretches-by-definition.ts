import type { Course, Span, Version } from './random-course.ts';

/** A stretch, in steps. */
export interface CountedStretch {
  since: number;
  /** Null if it holds at the end. */
  until: number | null;
  alarmSince: number | null;
}

/**
 * When the rule of a course held, up to a step, counted step by step: a run of steps at which it holds is a stretch. Written
 * from what rules promise, and slow.
 *
 * @param expected after a message, the next one comes so soon.
 */
export function stretchesByDefinition(course: Course, expected: number, end: number): CountedStretch[] {
  const stretches: CountedStretch[] = [];
  let last: CountedStretch | null = null;
  for (let at = 0; at < end; at += 1) {
    const held = holdsAt(course, expected, at);
    if (held === null) {
      last = null;
      continue;
    }
    if (last === null) {
      last = { since: at, until: at + 1, alarmSince: null };
      stretches.push(last);
    }
    last.until = at + 1;
    last.alarmSince ??= held.isAlarm ? at : null;
  }
  return stretches.map((stretch) => ({ ...stretch, until: stretch.until === end ? null : stretch.until }));
}

function holdsAt(course: Course, expected: number, at: number): { isAlarm: boolean } | null {
  const version = course.versions.find(({ from, until }) => from <= at && (until === null || at < until));
  const isDeleted = course.deletedAt !== null && course.deletedAt <= at;
  if (version === undefined || isDeleted || !isSelected(course, version, at)) {
    return null;
  }
  const place = placeAt(course, at);
  if (place === null) {
    return null;
  }
  if (course.kind === 'overdue') {
    return overdueAt(course, expected, version, at);
  }
  const isInside = (then: number) => {
    const where = placeAt(course, then);
    return where !== null && isBelow(course, where, version.place, then);
  };
  const isInHours = (then: number) =>
    version.open === null || version.open.some((span) => includes(span, then));
  if (course.kind === 'must_be') {
    if (isInside(at) || !isInHours(at)) {
      return null;
    }
    let outside = 0;
    for (let then = at - 1; then >= 0 && placeAt(course, then) !== null && !isInside(then); then -= 1) {
      outside += isInHours(then) ? 1 : 0;
    }
    return outside >= version.after ? { isAlarm: false } : null;
  }
  if (!isInside(at)) {
    return null;
  }
  let stayed = 0;
  while (stayed < at && isInside(at - stayed - 1)) {
    stayed += 1;
  }
  if (stayed < version.after) {
    return null;
  }
  return { isAlarm: course.kind === 'dwell' && stayed >= (version.thenAfter ?? version.after) };
}

function overdueAt(
  course: Course,
  expected: number,
  { after, thenAfter }: Version,
  at: number,
): { isAlarm: boolean } | null {
  const read = course.reads.findLast((each) => each.at <= at);
  if (read === undefined) {
    return null;
  }
  const isMissed = course.sweeps.some(
    ({ place, misses, since, until }) => misses && place === read.place && since > read.at && until <= at,
  );
  if (isMissed) {
    return { isAlarm: true };
  }
  if (watchAt(course, read.place, at)?.mode !== 'continuous') {
    return null;
  }
  let unseen = 0;
  for (let step = read.at; step < at; step += 1) {
    unseen += isCovered(course, expected, read.place, step) ? 1 : 0;
  }
  const isAlarm = thenAfter !== null && unseen >= thenAfter;
  return unseen >= after ? { isAlarm } : null;
}

function isCovered(course: Course, expected: number, place: number, at: number): boolean {
  const watch = watchAt(course, place, at);
  if (watch?.mode !== 'continuous') {
    return false;
  }
  if (course.sweeps.some((sweep) => sweep.place === place && includes(sweep, at))) {
    return true;
  }
  const readers = [...course.readerPlaces.keys()].filter((reader) => course.readerPlaces[reader] === place);
  const heard = readers.map((reader) => listens(course.heard[reader] ?? [], expected, at));
  return heard.length > 0 && (watch.coverage === 'all' ? heard.every(Boolean) : heard.some(Boolean));
}

/** Between two messages that were no further apart than expected. */
function listens(heard: readonly number[], expected: number, at: number): boolean {
  const last = heard.findLast((message) => message <= at);
  const next = heard.find((message) => message > at);
  return last !== undefined && next !== undefined && next - last <= expected;
}

function isSelected(course: Course, { isNamed, within, color }: Version, at: number): boolean {
  const place = placeAt(course, at);
  return (
    isNamed &&
    (within === null || (place !== null && isBelow(course, place, within, at))) &&
    (color === null || course.colors.findLast(({ from }) => from <= at)?.color === color)
  );
}

function watchAt(course: Course, place: number, at: number) {
  return course.watches[place]?.findLast(({ from }) => from <= at);
}

function placeAt({ reads }: Course, at: number): number | null {
  return reads.findLast((read) => read.at <= at)?.place ?? null;
}

function isBelow({ parents }: Course, place: number, root: number, at: number): boolean {
  for (let above: number | null = place; above !== null; ) {
    if (above === root) {
      return true;
    }
    above = parents[above]?.findLast(({ from }) => from <= at)?.parent ?? null;
  }
  return false;
}

function includes({ since, until }: Span, at: number): boolean {
  return since <= at && at < until;
}
