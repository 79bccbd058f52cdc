import { append } from '../../base/append.ts';
import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { EARLIEST_DEVICE_TIME } from '../tracking/observed-at.ts';
import { HEARD_GAP, type HeardStretch, stretchesOf } from './heard-stretches.ts';
import type { RegisteredReader } from './load-readers.ts';
import type { ReadMessage } from './message.ts';

export interface LateProof {
  reader: RegisteredReader;
  /** Times of reads, by the reader's clock. */
  times: readonly Micros[];
  learnedAt: Micros;
}

/**
 * Reads of a message that are older than the gap within a stretch of messages: if the reader was not heard when it made
 * them, they prove that it was listening. Nearly always none.
 */
export function lateProof(
  { reader, mapped }: ReadMessage,
  receivedAt: Micros,
  lateness: Micros,
): LateProof | null {
  if (reader === null || mapped.outcome !== 'items') {
    return null;
  }
  let times: Micros[] | null = null;
  const latest = receivedAt - HEARD_GAP;
  const earliest = Math.max(EARLIEST_DEVICE_TIME, receivedAt - lateness);
  for (const item of mapped.items) {
    const time = item.outcome === 'read' ? item.read.deviceTime : null;
    if (time !== null && time < latest && time >= earliest) {
      times ??= [];
      times.push(time);
    }
  }
  return times === null ? null : { reader, times, learnedAt: receivedAt };
}

/**
 * Keeps what late reads prove, in the time of the reader. Of a reader that is known to have listened all the time from the
 * first of them to the last, as of most that send old reads for a while, they prove nothing new, and that takes one look-up:
 * `prove_listening` for each stretch took 3 us a read where a fifth of all reads were late.
 *
 * Call with the readers' counters locked.
 */
export async function keepLateProofs(db: Connection, proofs: readonly (LateProof | null)[]): Promise<void> {
  const given = proofs.filter((proof) => proof !== null);
  if (given.length === 0) {
    return;
  }
  const stretches: HeardStretch[] = [];
  const readers = [...Map.groupBy(given, ({ reader }) => reader.readerId).values()].map((ofReader) => {
    const times = ofReader.flatMap((proof) => proof.times).sort((a, b) => a - b);
    const first = stretches.length + 1;
    append(stretches, stretchesOf(times));
    return {
      reader: ofReader[0]?.reader,
      since: times[0] ?? 0,
      until: times.at(-1) ?? 0,
      learnedAt: ofReader.reduce((last, proof) => Math.max(last, proof.learnedAt), 0),
      ...{ first, last: stretches.length },
    };
  });
  const ofReaders = (which: 'since' | 'until' | 'learnedAt') =>
    sql.binary(timestamps(readers.map((reader) => reader[which])));
  const places = (which: 'first' | 'last') => sql.binary(integers(readers.map((reader) => reader[which])));
  const ids = (which: 'orgId' | 'readerId') =>
    sql.binary(integers(readers.map(({ reader }) => reader?.[which] ?? null)));
  await db.exec(sql.prepared('keep-late-proofs', NO_ROWS)`
    select prove_listening(sent.org_id, sent.reader_id, stretch.since, stretch.until, sent.learned)
    from (
      select * from unnest(${ids('orgId')}::integer[], ${ids('readerId')}::integer[], ${ofReaders('since')}::timestamptz[],
        ${ofReaders('until')}::timestamptz[], ${ofReaders('learnedAt')}::timestamptz[],
        ${places('first')}::integer[], ${places('last')}::integer[])
        as given (org_id, reader_id, since, until, learned, first, last)
      where not ${ALL_IS_KNOWN}
      order by org_id, reader_id
    ) sent
    cross join lateral unnest(
      (${sql.binary(timestamps(stretches.map(({ since }) => since)))}::timestamptz[])[sent.first:sent.last],
      (${sql.binary(timestamps(stretches.map(({ until }) => until)))}::timestamptz[])[sent.first:sent.last]
    ) as stretch (since, until)
    where not ${STRETCH_IS_KNOWN}`);
}

/** As `prove_listening` finds it: proven before, or heard, and nothing came late then. */
function isKnown(reader: FragmentSqlToken, time: FragmentSqlToken): FragmentSqlToken {
  const ofReader = sql.fragment`org_id = ${reader}.org_id and reader_id = ${reader}.reader_id`;
  return sql.fragment`(
    coalesce((
      select ended_at >= ${time}.until from reader_proofs
      where ${ofReader} and started_at <= ${time}.since
      order by started_at desc limit 1), false)
    or (
      exists (
        select from reader_counters
        where ${ofReader} and heard_since <= ${time}.since and heard_until >= ${time}.until)
      or coalesce((
        select ended_at >= ${time}.until from reader_spans
        where ${ofReader} and state = 'up' and started_at <= ${time}.since
        order by started_at desc limit 1), false)
    ) and not coalesce((
      select ended_at >= ${time}.since from reader_delays
      where ${ofReader} and started_at <= ${time}.until
      order by started_at desc limit 1), false))`;
}

const ALL_IS_KNOWN = isKnown(sql.fragment`given`, sql.fragment`given`);
const STRETCH_IS_KNOWN = isKnown(sql.fragment`sent`, sql.fragment`stretch`);
