import type { Micros } from '../../../base/instant.ts';
import { sql } from '../../../db/timescale/queries/sql.ts';
import type { DecidingScan, DecidingSource, Proof } from './deciding-scan.ts';
import { microsOf } from './micros-of.ts';

/** A deciding scan as `scan_events` and `location_transitions` have it; all null in a transition of which it is unknown. */
export interface DecidingRow {
  received_at: Micros | null;
  tag_type: string;
  tag_value: string;
  rssi: number | null;
  reader_id: number | null;
  antenna: number;
  handheld_id: number;
  submission_id: string;
  submission_index: number;
  /** Of transitions only. */
  proof?: Proof | null;
}

/** {@link DecidingRow}, of a relation `near`. */
export const DECIDING_COLUMNS = sql.fragment`${microsOf(sql.fragment`near.received_at`)} as received_at, near.tag_type,
  near.tag_value, near.rssi, near.reader_id, near.antenna, near.handheld_id, near.submission_id, near.submission_index`;

/** The same of a transition. */
export const DECIDED_COLUMNS = sql.fragment`${DECIDING_COLUMNS}, near.proof`;

export function toDecidingScan(row: DecidingRow): DecidingScan | null {
  const { received_at: receivedAt, tag_type: tagType, tag_value: tagValue, rssi, proof = null } = row;
  if (receivedAt === null) {
    return null;
  }
  const source: DecidingSource =
    row.reader_id === null
      ? {
          kind: 'handheld',
          handheldId: row.handheld_id,
          submissionId: row.submission_id,
          index: row.submission_index,
        }
      : { kind: 'reader', readerId: row.reader_id, antenna: row.antenna };
  return { receivedAt, tagType, tagValue, rssi, source, ...(proof === null ? {} : { proof }) };
}
