import type { Micros } from '../../../base/instant.ts';
import { sql } from '../../../db/timescale/queries/sql.ts';
import { type DecidingScan, type DecidingSource, PROOFS } from './deciding-scan.ts';
import type { DecidedTransition } from './history.ts';
import type { MetricPosition } from './metric-position.ts';
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
  /** In transitions only. A value outside {@link PROOFS} is unknown. */
  proof?: string | null;
}

/** A transition's position on a plan; all null if unknown. */
export interface PositionRow {
  position_plan_location_id: number | null;
  position_x: number;
  position_y: number;
  position_radius: number;
}

/** {@link DecidingRow}, of a relation `near`. */
export const DECIDING_COLUMNS = sql.fragment`${microsOf(sql.fragment`near.received_at`)} as received_at, near.tag_type,
  near.tag_value, near.rssi, near.reader_id, near.antenna, near.handheld_id, near.submission_id, near.submission_index`;

/** The same of a transition, with its {@link PositionRow}. */
export const DECIDED_COLUMNS = sql.fragment`${DECIDING_COLUMNS}, near.proof, near.position_plan_location_id,
  near.position_x, near.position_y, near.position_radius`;

/** A row of `location_transitions`. */
export interface DecidedRow extends DecidingRow, PositionRow {
  observed_at: Micros;
  location_id: number;
  duration_seconds: number | null;
}

export function toTransition(row: DecidedRow): DecidedTransition {
  const { observed_at: observedAt, location_id: locationId, duration_seconds: durationSeconds } = row;
  const position = toPosition(row);
  const transition = { observedAt, locationId, durationSeconds, decidedBy: toDecidingScan(row) };
  return position === null ? transition : { ...transition, position };
}

function toPosition(row: PositionRow): MetricPosition | null {
  const {
    position_plan_location_id: planLocationId,
    position_x: x,
    position_y: y,
    position_radius: radius,
  } = row;
  return planLocationId === null ? null : { planLocationId, x, y, radius };
}

export function toDecidingScan(row: DecidingRow): DecidingScan | null {
  const { received_at: receivedAt, tag_type: tagType, tag_value: tagValue, rssi } = row;
  const proof = PROOFS.find((known) => known === row.proof);
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
  return { receivedAt, tagType, tagValue, rssi, source, ...(proof === undefined ? {} : { proof }) };
}
