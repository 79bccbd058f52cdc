import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { inForce, type StoredExpectation } from '../expectations.ts';
import type { Heard } from '../intervals.ts';
import { packedStretchesSince } from '../packed-spans.ts';
import type { ReaderId } from '../store-connections.ts';
import type { Evidence, Silence } from './silences.ts';

export interface ReaderSince extends ReaderId {
  since: Micros;
}

export interface LoadedEvidence extends ReaderId, Omit<Evidence, 'watched'> {
  /** Silences that are stored, from the first loaded stretch on. */
  stored: readonly Silence[];
  isLearned: boolean;
}

interface EvidenceRow {
  org_id: number;
  reader_id: number;
  deleted_at: Micros | null;
  heard: string;
  expectations: string;
  stored: string;
}

/** Evidence for silences, from the last stretch that began before `since`; none for readers that were never heard. */
export async function loadEvidence(
  db: Connection,
  readers: readonly ReaderSince[],
): Promise<LoadedEvidence[]> {
  const rows = await db.any(sql.prepared('load-silence-evidence', rowsOf<EvidenceRow>())`
    select reader.org_id, reader.id as reader_id, micros_of_time(reader.deleted_at) as deleted_at, (
        select json_agg(json_build_array(micros_of_time(since), micros_of_time(until)) order by since)
        from (
          select started_at as since, ended_at as until from reader_spans
          where org_id = given.org_id and reader_id = given.reader_id and state = 'up' and started_at >= first.since
          union all
          select started_at, ended_at from (${packedStretchesSince({
            orgId: sql.fragment`given.org_id`,
            readerId: sql.fragment`given.reader_id`,
            since: sql.fragment`first.since`,
          })}) packed
          union all
          select counted.heard_since, counted.heard_until
        ) stretch
      ) as heard, (
        select coalesce(json_agg(json_build_array(origin, micros_of_time(valid_from), seconds)), '[]')
        from reader_expectations where org_id = given.org_id and reader_id = given.reader_id
      ) as expectations, (
        select coalesce(json_agg(json_build_array(micros_of_time(started_at), micros_of_time(ended_at))
          order by started_at), '[]')
        from reader_spans
        where org_id = given.org_id and reader_id = given.reader_id and state = 'silent' and started_at >= first.since
      ) as stored
    from unnest(
        ${sql.binary(integers(readers.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(readers.map(({ readerId }) => readerId)))}::integer[],
        ${sql.binary(timestamps(readers.map(({ since }) => since)))}::timestamptz[]) as given (org_id, reader_id, since)
      join readers reader on reader.org_id = given.org_id and reader.id = given.reader_id
      join reader_counters counted on counted.org_id = given.org_id and counted.reader_id = given.reader_id
        and counted.heard_since is not null
      ${FIRST_STRETCH}
    where ${isHere(sql.fragment`reader.org_id`)}`);
  return rows.map(toEvidence);
}

/** Since when stretches are loaded: from the last on that began before. */
const FIRST_STRETCH = sql.fragment`
  cross join lateral (
    select coalesce((
      select before.started_at from reader_spans before
      where before.org_id = given.org_id and before.reader_id = given.reader_id and before.state = 'up'
        and before.started_at < given.since
      order by before.started_at desc limit 1), '-infinity') as since
  ) unpacked
  cross join lateral (
    -- What is packed is mostly older than that.
    select greatest(unpacked.since, (
      select max(began) from (
        select packed.heard_since from reader_packed_spans packed
        where packed.org_id = given.org_id and packed.reader_id = given.reader_id
          and packed.started_at between unpacked.since - interval '2 days' and given.since
          and packed.heard_since[1] < given.since
        order by packed.started_at desc limit 1
      ) last cross join lateral unnest(last.heard_since) as piece (began)
      where began < given.since
    )) as since
  ) first`;

function toEvidence(row: EvidenceRow): LoadedEvidence {
  const expectations = (JSON.parse(row.expectations) as StoredTriple[]).map(toExpectation);
  return {
    orgId: row.org_id,
    readerId: row.reader_id,
    deletedAt: row.deleted_at,
    heard: (JSON.parse(row.heard) as [Micros, Micros][]).map(([since, until]): Heard => ({ since, until })),
    expectations: inForce(expectations),
    isLearned: expectations.some(({ origin }) => origin === 'learned'),
    stored: (JSON.parse(row.stored) as [Micros, Micros | null][]).map(([since, until]) => ({
      since,
      until,
    })),
  };
}

type StoredTriple = [origin: StoredExpectation['origin'], from: Micros, seconds: number | null];

function toExpectation([origin, from, seconds]: StoredTriple): StoredExpectation {
  return { origin, from, expected: seconds === null ? null : seconds * MICROS_PER_SECOND };
}
