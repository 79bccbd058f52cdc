import { eachInTurns } from '../../../base/each-in-turns.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { EXPECTED } from '../expectations.ts';
import type { Heard, Interval } from '../intervals.ts';
import { packedSpans } from '../packed-spans.ts';
import type { AntennaSpan, PlaceEvidence } from './covered-times.ts';
import { evidenceQuery, lastSpanBefore, OF_READER_ASKED } from './evidence-query.ts';
import { type ListeningEvidence, listeningOf } from './listening-times.ts';
import { loadExpectations } from './load-expectations.ts';
import { PlacePresence } from './state-of.ts';
import { continuousPeriods, type DatedWatch, type Watch } from './watches.ts';

/** Longer than any expectation: earlier evidence proves nothing about the window. */
const BEFORE: Micros = 86_400 * MICROS_PER_SECOND;

interface Row extends Interval {
  reader_id: number;
  kind: 'heard' | 'proven' | 'disconnected' | 'delayed' | 'behind';
}

/** Pieces of evidence that are read at a time, at most: 60 MiB. */
const MOST_PIECES = 200_000;

/** How far back coverage is derived: an asset unread for longer was unread for at least this long. */
export const LOOKS_BACK: Micros = 31 * MICROS_PER_DAY;

const LONGEST: Micros = EXPECTED.most * MICROS_PER_SECOND;

/** The part of a window for which coverage is derived. */
export function lookedAt({ since, until }: Interval): Interval {
  return { since: Math.max(since, until - LOOKS_BACK), until };
}

/**
 * The evidence for states of assets at locations, from {@link loadEvidence}. Coverage is derived on demand: for 9,600
 * locations whose readers were heard 900 times each, all at once took 1.8 GB.
 *
 * @param window begins when the first of the assets was read; its end is after every instant asked about.
 */
export async function loadPlaces(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  window: Interval,
  sweeps: readonly SweptPlace[],
): Promise<(locationId: number) => PlacePresence | null> {
  const looked = lookedAt(window);
  const evidence = await loadEvidence(db, orgId, locationIds, looked, sweeps);
  return (id) => {
    const own = evidence.get(id);
    return own === undefined ? null : new PlacePresence(own, looked);
  };
}

/**
 * The evidence for coverage, by location; readers are looked up only for continuously watched locations.
 *
 * @throws TooMuchWork
 */
export async function loadEvidence(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  looked: Interval,
  sweeps: readonly SweptPlace[],
): Promise<ReadonlyMap<number, PlaceEvidence>> {
  if (locationIds.length === 0) {
    return new Map();
  }
  const watches = await loadWatches(db, orgId, locationIds, looked.until);
  const continuous = locationIds.filter((id) => continuousPeriods(watches.get(id) ?? [], looked).length > 0);
  const antennas = await loadAntennas(db, orgId, continuous, looked);
  const readerIds = [...new Set([...antennas.values()].flat().map(({ readerId }) => readerId))];
  // The next message proves the time before it.
  const heard = { since: looked.since, until: looked.until + LONGEST };
  const evidence = await loadListening(db, orgId, readerIds, heard);
  const listening = new Map(await eachInTurns(evidence, ([id, own]) => [id, listeningOf(own)] as const));
  const swept = Map.groupBy(sweeps, ({ locationId }) => locationId);
  return new Map(
    locationIds.map((id) => [
      id,
      {
        watches: watches.get(id) ?? [],
        antennas: antennas.get(id) ?? [],
        listening,
        swept: swept.get(id) ?? [],
      },
    ]),
  );
}

type SweptPlace = Interval & { locationId: number };

/**
 * The antennas that were enabled at locations, by location, until they were changed or their reader was deleted.
 *
 * @throws TooMuchWork
 */
async function loadAntennas(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  window: Interval,
): Promise<ReadonlyMap<number, AntennaSpan[]>> {
  if (locationIds.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(
    rowsOf<{ location_id: number; reader_id: number; since: Micros; until: Micros | null }>(),
  )`
    select version.location_id, version.reader_id, micros_of_time(version.since) as since,
      micros_of_time(ended.until) as until
    from antenna_versions version
      join readers reader on reader.org_id = version.org_id and reader.id = version.reader_id
      cross join lateral (
        select least(reader.deleted_at, (
          select min(later.since) from antenna_versions later
          where later.org_id = version.org_id and later.reader_id = version.reader_id and later.port = version.port
            and later.since > version.since
        )) as until
      ) ended
    where version.org_id = ${orgId} and version.location_id = any (${sql.array(locationIds, 'int4')})
      and version.is_enabled and version.since < time_of_micros(${window.until})
      and coalesce(ended.until > time_of_micros(${window.since}), true)
    limit ${MOST_PIECES + 1}`);
  if (rows.length > MOST_PIECES) {
    throw new TooMuchWork(`more than ${MOST_PIECES} changes of antennas at these locations`);
  }
  return Map.groupBy(
    rows.map((row) => ({
      locationId: row.location_id,
      readerId: row.reader_id,
      since: row.since,
      until: row.until ?? Number.POSITIVE_INFINITY,
    })),
    ({ locationId }) => locationId,
  );
}

/** How locations were watched until an instant, by location, sorted. */
async function loadWatches(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  until: Micros,
): Promise<ReadonlyMap<number, DatedWatch[]>> {
  const rows = await db.any(sql.type(
    rowsOf<{
      location_id: number;
      from: Micros;
      mode: Watch['mode'];
      max_gap_seconds: number | null;
      coverage: Watch['coverage'];
    }>(),
  )`
    select location_id, micros_of_time(valid_from) as from, mode, max_gap_seconds, coverage
    from location_watches
    where org_id = ${orgId} and location_id = any (${sql.array(locationIds, 'int4')})
      and valid_from < time_of_micros(${until})
    order by location_id, valid_from`);
  return new Map(
    [...Map.groupBy(rows, ({ location_id: id }) => id)].map(([id, own]) => [
      id,
      own.map(({ from, mode, max_gap_seconds: seconds, coverage }) => ({
        ...{ from, mode, coverage },
        maxGap: seconds === null ? null : seconds * MICROS_PER_SECOND,
      })),
    ]),
  );
}

/**
 * Evidence of when readers listened, of everything that can reach into a time, by reader, in joined stretches: for a
 * reader heard once a minute, a month is one row, not 44,000. Seven days of 200 such readers take 25 ms, and 5 s before
 * rows were joined beforehand.
 *
 * @throws TooMuchWork
 */
export async function loadListening(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
  { since, until }: Interval,
): Promise<ReadonlyMap<number, ListeningEvidence>> {
  if (readerIds.length === 0) {
    return new Map();
  }
  const expectations = await loadExpectations(db, orgId, readerIds);
  const wanted = { orgId, readerIds, expectations, window: { since: since - BEFORE, until } };
  const rows = await db.any(sql.type(rowsOf<Omit<Row, 'until'> & { until: Micros | null }>())`
    select reader_id, kind, micros_of_time(since) as since, micros_of_time(until) as until
    from (${evidenceQuery(wanted, stretches(orgId))}) found
    order by found.since limit ${MOST_PIECES + 1}`);
  if (rows.length > MOST_PIECES) {
    throw new TooMuchWork(`more than ${MOST_PIECES} pieces of evidence of when readers listened`);
  }
  const spans = Map.groupBy(rows, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const of = (kind: Row['kind']): Heard[] =>
        (spans.get(id) ?? []).flatMap((row) =>
          row.kind === kind ? [{ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }] : [],
        );
      return [
        id,
        {
          heard: of('heard'),
          proven: of('proven'),
          disconnected: of('disconnected'),
          delayed: of('delayed'),
          behind: of('behind'),
          expectations: expectations.get(id) ?? [],
        },
      ];
    }),
  );
}

/**
 * Joined stretches as stored; before and after them, and where one was interrupted, the rows they were joined from.
 * Packed rows are older than all joined ones.
 */
function stretches(orgId: number): FragmentSqlToken {
  const own = sql.fragment`span.org_id = ${orgId} and span.reader_id = reader.id`;
  const heard = (condition: FragmentSqlToken) => sql.fragment`
    select span.started_at as since, span.ended_at as until
    from reader_spans span
    where ${own} and span.state = 'up' and span.started_at <= asked.until and span.ended_at >= asked.since
      and span.started_at >= ${lastSpanBefore(orgId, 'up')} and ${condition}`;
  return sql.fragment`
    with valid as materialized (
      select span.started_at as since, span.ended_at as until
      from reader_joined_spans span
      where ${own} and span.ended_at < coalesce((
        select revised.since - interval '15 seconds' from silence_revisions revised
        where revised.org_id = ${orgId} and revised.reader_id = reader.id), 'infinity')
    ),
    joined as materialized (
      select valid.*, coalesce(interruption.during && tstzrange(since, until, '[]'), false) as is_interrupted
      from valid cross join interruption
      where valid.since <= asked.until and valid.until >= asked.since
    ),
    bounds as materialized (
      select coalesce(min(since), '-infinity') as since, coalesce(max(until), '-infinity') as until from valid
    )
    select since, until from joined where not is_interrupted
    union all
    select piece.since, piece.until
    from joined
    cross join lateral (${heard(sql.fragment`span.started_at between joined.since and joined.until`)}) piece
    where joined.is_interrupted
    union all
    select piece.since, piece.until
    from bounds cross join lateral (${heard(sql.fragment`span.started_at < bounds.since`)}) piece
    union all
    select piece.since, piece.until
    from bounds cross join lateral (${heard(sql.fragment`span.started_at > bounds.until`)}) piece
    union all
    select span.started_at, span.ended_at from (${packedSpans('up', { orgId, ...OF_READER_ASKED })}) span
    union all
    select heard_since, heard_until from reader_counters
    where org_id = ${orgId} and reader_id = reader.id and heard_since <= asked.until and heard_until >= asked.since`;
}
