import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { loadAssetEvidence } from '../../../../domain/alerts/conditions/load-asset-evidence.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import type { TestDatabase } from '../../../support/database.ts';
import { at, BEGINNING, PresenceSite } from '../../../support/presence-site.ts';
import type { Random } from '../../../support/random.ts';
import { rulesOf } from './evidence-of-course.ts';
import { type Course, END, EXPECTED, READERS, randomCourse, type Span } from './random-course.ts';
import type { CountedStretch } from './stretches-by-definition.ts';

/** Seconds of a step. */
const STEP = 5;
/** Steps of a sweep, a minute. */
const SWEEP = 12;
/** The last one is read in every message, so that late ones prove something. */
const ASSETS = 3;

interface Message {
  at: number;
  reader: number;
  assets: number[];
}

/** Random courses of several assets at one site, under one rule. */
export function coursesAtOneSite(random: Random): { courses: Course[]; messages: Message[] } {
  const course = randomCourse(random);
  const readerPlaces = READERS.map(() => random.below(3));
  const instants = new Set(Array.from({ length: 10 + random.below(40) }, () => random.below(END)));
  const messages = [...instants]
    .sort((a, b) => a - b)
    .map((instant) => ({
      ...{ at: instant, reader: random.pick(READERS) },
      assets: [0, 1].filter(() => random.once(4)).concat(ASSETS - 1),
    }));
  const shared = {
    ...{ ...course, readerPlaces, deletedAt: null },
    versions: course.versions.map((version) => ({ ...version, open: null })),
    heard: READERS.map((reader) => messages.filter((each) => each.reader === reader).map((each) => each.at)),
    sweeps: course.sweeps.map((sweep) => ({ ...sweep, until: sweep.since + SWEEP })),
  };
  const courses = Array.from({ length: ASSETS }, (_, asset) => ({
    ...shared,
    reads: messages
      .filter(({ assets }) => assets.includes(asset))
      .map((each) => ({ at: each.at, place: readerPlaces[each.reader] ?? 0 })),
    deletedAt: asset === 0 ? course.deletedAt : null,
    sweeps: shared.sweeps.map((sweep) => ({ ...sweep, misses: sweep.misses && asset < 2 })),
  }));
  return { courses, messages };
}

/** Courses that happened at a site of their own; what came late came in any order. */
export class RecordedCourses {
  readonly #database: TestDatabase;
  readonly #site: PresenceSite;
  readonly #courses: readonly Course[];

  private constructor(database: TestDatabase, site: PresenceSite, courses: readonly Course[]) {
    this.#database = database;
    this.#site = site;
    this.#courses = courses;
  }

  static async record(
    database: TestDatabase,
    { courses, messages }: ReturnType<typeof coursesAtOneSite>,
    random: Random,
  ): Promise<RecordedCourses> {
    const [course] = courses as [Course];
    const site = await PresenceSite.create(database, {
      ...{ places: course.parents.length, readerPlaces: course.readerPlaces, assets: ASSETS },
    });
    await describeSite(database, site, course);
    const arriving = messages
      .map((message) => ({ message, isLate: random.once(3), rank: random.below(1e6) }))
      .toSorted((a, b) => Number(a.isLate) - Number(b.isLate) || (a.isLate ? a.rank - b.rank : 0))
      .map(({ message, isLate }) => ({
        ...{ reader: message.reader, assets: message.assets, at: message.at * STEP },
        receivedAt: isLate ? (END + 20 + random.below(20)) * STEP : message.at * STEP,
      }));
    while (arriving.length > 0) {
      await site.deliver(arriving.splice(0, 1 + random.below(10)));
    }
    await database.rows('update assets set deleted_at = time_of_micros($2) where id = $1', [
      ...[site.assets[0], course.deletedAt === null ? null : at(course.deletedAt * STEP)],
    ]);
    return new RecordedCourses(database, site, courses);
  }

  /** Of each asset, in steps. */
  async stretches(window: Span): Promise<CountedStretch[][]> {
    const [course] = this.#courses as [Course];
    const rules = rulesOf(course, {
      idOf: (place) => this.#site.places[place] ?? 0,
      step: STEP * MICROS_PER_SECOND,
    });
    const { assets, around } = await loadAssetEvidence(
      databaseOn(this.#database.pool),
      ...([this.#site.orgId, rules, this.#site.assets] as const),
      { since: at(window.since * STEP), until: at(window.until * STEP) },
    );
    const stepOf = (time: number | null) =>
      time === null ? null : (time - BEGINNING) / MICROS_PER_SECOND / STEP;
    return assets.map((asset) =>
      stretchesOf(rules, asset, around).map(({ since, until, alarmSince }) => ({
        ...{ since: stepOf(since) ?? 0, until: stepOf(until), alarmSince: stepOf(alarmSince) },
      })),
    );
  }
}

async function describeSite(database: TestDatabase, site: PresenceSite, course: Course): Promise<void> {
  const { orgId, places } = site;
  await database.rows(
    `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
     select $1, unnest($2::integer[]), 'set', time_of_micros($3), $4`,
    [orgId, site.readers.map(({ readerId }) => readerId), at(-10_000), EXPECTED * STEP],
  );
  await database.rows('update location_versions set since = time_of_micros($2) where org_id = $1', [
    ...[orgId, at(-10_000 * STEP)],
  ]);
  for (const [place, versions] of course.parents.entries()) {
    for (const { from, parent } of versions) {
      await database.rows(
        `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
         values ($1, $2, time_of_micros($3), 'ANY', 'Any', $4, false)`,
        [orgId, places[place], at(from * STEP), parent === null ? null : places[parent]],
      );
    }
  }
  for (const [place, watches] of course.watches.entries()) {
    for (const watch of watches) {
      await site.watch(place, { ...watch, from: watch.from * STEP });
    }
  }
  for (const { id, place, until, misses } of course.sweeps) {
    await site.sweep(id, place, until * STEP, misses ? [0, 1] : []);
  }
  for (const [index, { from, color }] of course.colors.entries()) {
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id, before)
       select $1, time_of_micros($2), 'command_line', 'test', 'update', 'asset', id::text, $3
       from assets where org_id = $1`,
      [orgId, at(from * STEP), { metadata: { color: course.colors[index - 1]?.color ?? null } }],
    );
    await database.rows('update assets set metadata = $2 where org_id = $1', [orgId, { color }]);
  }
}
