import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { EARLIEST_DEVICE_TIME } from '../tracking/observed-at.ts';
import { HEARD_GAP, stretchesOf } from './heard-stretches.ts';
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
 * Keeps what late reads prove, in the time of the reader. Call with the readers' counters locked.
 */
export async function keepLateProofs(db: Connection, proofs: readonly (LateProof | null)[]): Promise<void> {
  const given = proofs.filter((proof) => proof !== null);
  if (given.length === 0) {
    return;
  }
  const pieces = [...Map.groupBy(given, ({ reader }) => reader.readerId).values()].flatMap((ofReader) => {
    const times = ofReader.flatMap((proof) => proof.times).sort((a, b) => a - b);
    const learnedAt = ofReader.reduce((last, proof) => Math.max(last, proof.learnedAt), 0);
    const [first] = ofReader;
    return first === undefined
      ? []
      : stretchesOf(times).map((stretch) => ({ ...first.reader, ...stretch, learnedAt }));
  });
  const times = (which: 'since' | 'until' | 'learnedAt') =>
    sql.binary(timestamps(pieces.map((piece) => piece[which])));
  await db.exec(sql.prepared('keep-late-proofs', NO_ROWS)`
    select prove_listening(given.org_id, given.reader_id, since, until, learned)
    from (
      select * from unnest(${sql.binary(integers(pieces.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(pieces.map(({ readerId }) => readerId)))}::integer[],
        ${times('since')}::timestamptz[], ${times('until')}::timestamptz[], ${times('learnedAt')}::timestamptz[])
        as given (org_id, reader_id, since, until, learned)
      order by org_id, reader_id, since
    ) given`);
}
