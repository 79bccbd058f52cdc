import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Heard, Interval } from '../intervals.ts';
import { packedStretchesSince } from '../packed-spans.ts';
import type { ReaderId } from '../store-connections.ts';
import { watchedBetween } from './watched-time.ts';

const LEARNED_FROM: Micros = 7 * MICROS_PER_DAY;

/** The oldest evidence to learn from, by when the reader was heard last. */
const OLDEST = sql.fragment`(counted.heard_until - make_interval(secs => ${LEARNED_FROM / MICROS_PER_SECOND}::integer))`;

/**
 * Learns expectations of readers from the seven days up to their last message. Differences below a tenth are ignored;
 * otherwise there would be a new row every few hours.
 */
export async function learn(
  db: Connection,
  readers: readonly ReaderId[],
  watched: readonly Interval[],
): Promise<void> {
  const rows = await db.any(sql.prepared(
    'load-recent-stretches',
    rowsOf<{ org_id: number; reader_id: number; learned: number | null; heard: string }>(),
  )`
    select counted.org_id, counted.reader_id, (
        select seconds from reader_expectations dated
        where dated.org_id = counted.org_id and dated.reader_id = counted.reader_id and dated.origin = 'learned'
        order by valid_from desc limit 1
      ) as learned, (
        select json_agg(json_build_array(micros_of_time(since), micros_of_time(until), messages) order by since)
        from (
          select started_at as since, ended_at as until, messages from reader_spans
          where org_id = counted.org_id and reader_id = counted.reader_id and state = 'up'
            and started_at >= ${OLDEST}
          union all
          -- Of one that was heard last some days ago.
          select * from (${packedStretchesSince({
            orgId: sql.fragment`counted.org_id`,
            readerId: sql.fragment`counted.reader_id`,
            since: OLDEST,
          })}) packed
          union all
          select counted.heard_since, counted.heard_until, counted.heard_messages
        ) stretch
      ) as heard
    from unnest(${sql.binary(integers(readers.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(readers.map(({ readerId }) => readerId)))}::integer[]) as given (org_id, reader_id)
      join reader_counters counted on counted.org_id = given.org_id and counted.reader_id = given.reader_id
    where counted.heard_since is not null and ${isHere(sql.fragment`counted.org_id`)}`);
  const changed = rows.flatMap(({ heard, learned: before, ...reader }) => {
    const stretches = (JSON.parse(heard) as [Micros, Micros, number][]).map(
      ([since, until, messages]): CountedStretch => ({ since, until, messages }),
    );
    const expected = learnedExpectation(stretches, watched, stretches.at(-1)?.until ?? 0);
    const seconds = expected === null ? null : expected / MICROS_PER_SECOND;
    return seconds === null || (before !== null && Math.abs(seconds - before) < before / 10)
      ? []
      : [{ ...reader, seconds }];
  });
  if (changed.length > 0) {
    await db.exec(sql.prepared('keep-learned-expectations', NO_ROWS)`
      insert into reader_expectations (org_id, reader_id, origin, seconds)
      select org_id, reader_id, 'learned', seconds
      from unnest(${sql.binary(integers(changed.map((row) => row.org_id)))}::integer[],
        ${sql.binary(integers(changed.map((row) => row.reader_id)))}::integer[],
        ${sql.binary(bigints(changed.map(({ seconds }) => seconds)))}::bigint[]::integer[])
        as learned (org_id, reader_id, seconds)`);
  }
}

interface CountedStretch extends Heard {
  messages: number;
}

const LEAST: Micros = 30 * MICROS_PER_SECOND;
const MOST: Micros = MICROS_PER_DAY;

/** A reader heard for less than this is new: its usual silences are unknown. */
const KNOWN_AFTER: Micros = 3_600 * MICROS_PER_SECOND;

/**
 * How long a reader may be silent, by the gaps between its messages in the seven days before: twice the 99.9th
 * percentile, in whole seconds. One gap in a thousand may be longer, so outages do not teach patience, except to a
 * reader with few messages. Gaps are in watched time. Gaps within a stretch count as none: twice such a gap is below
 * the least expectation.
 *
 * @param heard stretches that ended in those days, sorted and disjoint.
 * @returns null for a new reader.
 */
export function learnedExpectation(
  heard: readonly CountedStretch[],
  watched: readonly Interval[],
  at: Micros,
): Micros | null {
  const recent = heard.filter(({ until }) => until >= at - LEARNED_FROM);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || last.until - first.since < KNOWN_AFTER) {
    return null;
  }
  const messages = recent.reduce((sum, stretch) => sum + stretch.messages, 0);
  const gaps = recent
    .slice(1)
    .map(({ since }, before) => watchedBetween(watched, recent[before]?.until ?? since, since))
    .sort((a, b) => b - a);
  const usual = gaps[Math.floor((messages - 1) / 1_000)] ?? 0;
  const seconds = Math.ceil((2 * usual) / MICROS_PER_SECOND) * MICROS_PER_SECOND;
  return Math.min(MOST, Math.max(LEAST, seconds));
}
