import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ReaderId } from '../store-connections.ts';
import { evidenceQuery } from './evidence-query.ts';
import { loadExpectations } from './load-expectations.ts';

const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

/** Two hours before stretches are merged in place, so that none is joined while it is merged. */
const OLDEST: Micros = 8 * MICROS_PER_DAY - 2 * HOUR;

/** Messages of other processes, and what readers had buffered, come later than that as an exception. */
const SETTLED: Micros = 600 * MICROS_PER_SECOND;

/** The longest time whose stretches are joined at once: 5,760 stretches at most. */
const AT_ONCE: Micros = MICROS_PER_DAY;

/**
 * Joins what a reader was heard since the last joined stretch, up to ten minutes ago, and a day of it at most.
 *
 * @returns whether more is left.
 */
export async function joinStretches(
  db: Connection,
  { orgId, readerId }: ReaderId,
  now: Micros,
): Promise<boolean> {
  const own = sql.fragment`span.org_id = ${orgId} and span.reader_id = ${readerId}`;
  await db.exec(sql.type(NO_ROWS)`
    delete from reader_joined_spans span where ${own} and span.started_at < time_of_micros(${now - OLDEST})`);
  const { since } = await db.one(sql.type(rowsOf<{ since: Micros | null }>())`
    select micros_of_time(min(span.started_at)) as since
    from reader_spans span
    where ${own} and span.state = 'up'
      and span.started_at > coalesce(
        (select span.ended_at from reader_joined_spans span where ${own} order by span.started_at desc limit 1),
        time_of_micros(${now - OLDEST}))`);
  const until = Math.min(now - SETTLED, (since ?? now) + AT_ONCE);
  if (since === null || since > until) {
    return false;
  }
  const wanted = {
    ...{ orgId, readerIds: [readerId], window: { since, until } },
    expectations: await loadExpectations(db, orgId, [readerId]),
  };
  const stretches = sql.fragment`
    select span.started_at as since, span.ended_at as until
    from reader_spans span
    where ${own} and span.state = 'up' and span.started_at between asked.since and asked.until`;
  await db.exec(sql.type(NO_ROWS)`
    insert into reader_joined_spans (org_id, reader_id, started_at, ended_at)
    select ${orgId}, found.reader_id, found.since, found.until
    from (${evidenceQuery(wanted, stretches)}) found where found.kind = 'heard'`);
  return until === since + AT_ONCE;
}

/** Looked for so often. */
const LOOK_EVERY: Micros = 300 * MICROS_PER_SECOND;

/** Unjoined time of a reader after which it is joined: fewer than 500 stretches, if it sends every 15 s. */
const UNJOINED: Micros = 2 * HOUR;

/** Readers a turn: enough for ten thousand in less than two hours. */
const EACH_TURN = 5;
const MOST_DUE = 1_000;

/** When it was found, by the database's clock. */
type Due = ReaderId & { now: Micros };

/** Joins what readers were heard, a few readers a turn. */
export class StretchJoiner {
  #due: Due[] = [];
  #lookAt: Micros = Number.NEGATIVE_INFINITY;

  /** The readers of one turn. */
  async due(db: Connection, now: Micros): Promise<Due[]> {
    if (this.#due.length === 0 && this.#lookAt <= now) {
      this.#due = await findUnjoined(db);
      this.#lookAt = now + LOOK_EVERY;
    }
    return this.#due.splice(0, EACH_TURN);
  }

  /** @returns whether more of the reader is left for another turn. */
  async join(db: Connection, reader: Due): Promise<boolean> {
    const isLeft = await joinStretches(db, reader, reader.now);
    if (isLeft) {
      this.#due.push(reader);
    }
    return isLeft;
  }
}

async function findUnjoined(db: Connection): Promise<Due[]> {
  const rows = await db.any(sql.prepared(
    'find-unjoined-stretches',
    rowsOf<{ org_id: number; reader_id: number; now: Micros }>(),
  )`
    select counted.org_id, counted.reader_id, micros_of_time(clock_timestamp()) as now
    from reader_counters counted
    cross join lateral (
      select max(started_at) as started_at from reader_spans span
      where span.org_id = counted.org_id and span.reader_id = counted.reader_id and span.state = 'up'
    ) heard
    left join lateral (
      select span.ended_at from reader_joined_spans span
      where span.org_id = counted.org_id and span.reader_id = counted.reader_id
      order by span.started_at desc limit 1
    ) joined on true
    where heard.started_at - make_interval(secs => ${UNJOINED / MICROS_PER_SECOND}::integer)
      > coalesce(joined.ended_at, now() - make_interval(secs => ${OLDEST / MICROS_PER_SECOND}::integer))
      and ${isHere(sql.fragment`counted.org_id`)}
    -- Organizations take turns.
    order by row_number() over (partition by counted.org_id order by joined.ended_at nulls first, counted.reader_id),
      counted.org_id
    limit ${MOST_DUE}::integer`);
  return rows.map(({ org_id: orgId, reader_id: readerId, now }) => ({ orgId, readerId, now }));
}
