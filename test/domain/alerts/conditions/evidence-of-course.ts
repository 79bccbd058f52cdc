import type { AssetEvidence, Stay } from '../../../../domain/alerts/conditions/evidence.ts';
import { pathKey } from '../../../../domain/alerts/conditions/evidence.ts';
import { Surroundings } from '../../../../domain/alerts/conditions/surroundings.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import type { Listening } from '../../../../domain/presence/coverage/listening-times.ts';
import { type Interval, joined } from '../../../../domain/presence/intervals.ts';
import type { Course, Span } from './random-course.ts';
import { ruleOf } from './rule-of.ts';

const STEP = 60_000_000;
/** A Friday. */
const BEGINNING = Date.UTC(2026, 4, 1, 10) * 1_000;
const EVER = Number.POSITIVE_INFINITY;

export const timeOf = (step: number): number => BEGINNING + step * STEP;
export const stepOf = (time: number): number => (time - BEGINNING) / STEP;

const spanOf = ({ since, until }: Span): Interval => ({ since: timeOf(since), until: timeOf(until) });

/** As a loader gives it at a step: reads that are near each other are left out. */
export function assetOf(course: Course, until: number): AssetEvidence {
  const reads = course.reads.filter(({ at }) => at < until);
  const missed = course.sweeps.filter(({ misses }) => misses).toSorted((a, b) => a.until - b.until);
  const apart = Math.min(...course.versions.map(({ after }) => after));
  return {
    assetId: 7,
    until: course.deletedAt === null ? EVER : timeOf(course.deletedAt),
    stays: staysOf(reads),
    unread: reads
      .map(({ at }, index) => ({ since: at, until: reads[index + 1]?.at ?? EVER }))
      .filter(
        (gap) =>
          gap.until - gap.since >= apart ||
          missed.some((sweep) => gap.since < sweep.since && sweep.until < gap.until),
      )
      .map(spanOf),
    missedBy: missed.map((sweep) => ({ ...spanOf(sweep), sweepId: sweep.id, locationId: sweep.place })),
    described: new Map([
      [
        pathKey(['color']),
        course.colors.map(({ from, color }, index) => ({
          ...spanOf({ since: from, until: course.colors[index + 1]?.from ?? EVER }),
          text: color,
        })),
      ],
    ]),
  };
}

export function aroundCourse(
  course: Course,
  listening: ReadonlyMap<number, Listening>,
  window: Span,
): Surroundings {
  const places = course.parents.map((_, place) => place);
  return new Surroundings({
    window: spanOf(window),
    coveredFrom: timeOf(-1_000),
    subtrees: new Map(places.map((root) => [root, subtreeOf(course, root)])),
    places: new Map(
      places.map((place) => [
        place,
        {
          watches: (course.watches[place] ?? []).map((watch) => ({ ...watch, from: timeOf(watch.from) })),
          antennas: [...course.readerPlaces.entries()]
            .filter(([, own]) => own === place)
            .map(([readerId]) => ({ readerId, since: timeOf(-1_000), until: EVER })),
          listening,
          swept: course.sweeps.filter((sweep) => sweep.place === place).map(spanOf),
        },
      ]),
    ),
  });
}

/** @param site where the places are, and how long a step takes, if that is no minute; working hours need that. */
export function rulesOf(
  { kind, versions }: Course,
  { idOf, step }: { idOf: (place: number) => number; step: number } = { idOf: (place) => place, step: STEP },
): DatedRule[] {
  const instant = (steps: number) => BEGINNING + steps * step;
  return versions.map(({ from, until, after, thenAfter, place, open, isNamed, within, color }) =>
    ruleOf({
      kind,
      after: kind === 'not_allowed' ? null : after * step,
      thenAfter: thenAfter === null ? null : thenAfter * step,
      locationId: kind === 'overdue' ? null : idOf(place),
      hours: open === null ? null : hoursOf(open),
      selection: {
        assetIds: isNamed ? null : [0],
        withinLocationId: within === null ? null : idOf(within),
        metadata: color === null ? [] : [{ path: ['color'], value: color }],
        readerIds: null,
      },
      from: instant(from),
      until: until === null ? null : instant(until),
    }),
  );
}

/** On that day alone. */
function hoursOf(open: readonly Span[]): DatedRule['hours'] {
  const minuteOf = (step: number) => 10 * 60 + step;
  const weekly = open.map(({ since, until }) => ({ day: 4, from: minuteOf(since), until: minuteOf(until) }));
  return { timeZone: 'UTC', weekly };
}

function staysOf(reads: Course['reads']): Stay[] {
  const moves = reads.filter(({ place }, index) => place !== reads[index - 1]?.place);
  return moves.map(({ at, place }, index) => ({
    ...spanOf({ since: at, until: moves[index + 1]?.at ?? EVER }),
    locationId: place,
  }));
}

/** Of each place, when it belonged to a subtree. */
function subtreeOf({ parents }: Course, root: number): ReadonlyMap<number, Interval[]> {
  const changes = [...new Set(parents.flatMap((versions) => versions.map(({ from }) => from)))].sort(
    (a, b) => a - b,
  );
  const periods = changes.map((since, index) => ({ since, until: changes[index + 1] ?? EVER }));
  const isBelow = (place: number | null, at: number): boolean =>
    place !== null &&
    (place === root || isBelow(parents[place]?.findLast(({ from }) => from <= at)?.parent ?? null, at));
  return new Map(
    parents.map((_, place) => [
      place,
      joined(periods.filter(({ since }) => isBelow(place, since)).map(spanOf)),
    ]),
  );
}
