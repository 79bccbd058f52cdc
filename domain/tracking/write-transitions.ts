import type { Micros } from '../../base/instant.ts';
import {
  bigints,
  doubles,
  integers,
  smallints,
  texts,
  timestamps,
} from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { DecidedTransition } from './history/history.ts';

export interface AssetTransition extends AssetRef, DecidedTransition {}

/** Replaces stored transitions of the same asset and instant. */
export async function putTransitions(db: Connection, transitions: readonly AssetTransition[]): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await db.exec(
    areOnPlans(transitions)
      ? sql.prepared('put-transitions-on-plans', NO_ROWS)`
    insert into location_transitions (${ALL_COLUMNS})
    select ${ALL_COLUMNS} from ${madeOnPlans(transitions)}
    ${REPLACING}`
      : sql.prepared('put-transitions', NO_ROWS)`
    insert into location_transitions (${COLUMNS})
    select ${COLUMNS} from ${made(transitions)}
    ${REPLACING}`,
  );
}

/** No row is expected at these instants: with `on conflict` a row took the database 5.8 us, without it 3.9. */
export async function addTransitions(db: Connection, transitions: readonly AssetTransition[]): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await db.exec(
    areOnPlans(transitions)
      ? sql.prepared('add-transitions-on-plans', NO_ROWS)`
    insert into location_transitions (${ALL_COLUMNS})
    select ${ALL_COLUMNS} from ${madeOnPlans(transitions)}`
      : sql.prepared('add-transitions', NO_ROWS)`
    insert into location_transitions (${COLUMNS})
    select ${COLUMNS} from ${made(transitions)}`,
  );
}

const COLUMNS = sql.fragment`org_id, asset_id, observed_at, location_id, duration_seconds, received_at, tag_type,
  tag_value, rssi, reader_id, antenna, handheld_id, submission_id, submission_index, proof`;

const ALL_COLUMNS = sql.fragment`${COLUMNS}, position_plan_location_id, position_x, position_y, position_radius`;

function made(transitions: readonly AssetTransition[]): FragmentSqlToken {
  return sql.fragment`unnest(${valuesOf(transitions)}) as made (${COLUMNS})`;
}

function areOnPlans(transitions: readonly AssetTransition[]): boolean {
  return transitions.some(({ position }) => position !== undefined);
}

/** With positions, which most organizations do not have. */
function madeOnPlans(transitions: readonly AssetTransition[]): FragmentSqlToken {
  const positions = transitions.map(({ position }) => position);
  return sql.fragment`unnest(${valuesOf(transitions)},
    ${sql.binary(integers(positions.map((at) => at?.planLocationId ?? null)))}::integer[],
    ${sql.binary(doubles(positions.map((at) => at?.x ?? null)))}::float8[],
    ${sql.binary(doubles(positions.map((at) => at?.y ?? null)))}::float8[],
    ${sql.binary(doubles(positions.map((at) => at?.radius ?? null)))}::float8[])
    as made (${ALL_COLUMNS})`;
}

function valuesOf(transitions: readonly AssetTransition[]): FragmentSqlToken {
  const scans = transitions.map(({ decidedBy }) => decidedBy);
  const readers = scans.map((scan) => (scan?.source.kind === 'reader' ? scan.source : null));
  const handhelds = scans.map((scan) => (scan?.source.kind === 'handheld' ? scan.source : null));
  return sql.fragment`
    ${sql.binary(integers(transitions.map(({ orgId }) => orgId)))}::integer[],
    ${sql.binary(integers(transitions.map(({ assetId }) => assetId)))}::integer[],
    ${sql.binary(timestamps(transitions.map(({ observedAt }) => observedAt)))}::timestamptz[],
    ${sql.binary(integers(transitions.map(({ locationId }) => locationId)))}::integer[],
    ${sql.binary(bigints(transitions.map(({ durationSeconds }) => durationSeconds)))}::bigint[],
    ${sql.binary(timestamps(scans.map((scan) => scan?.receivedAt ?? null)))}::timestamptz[],
    ${sql.binary(texts(scans.map((scan) => scan?.tagType ?? null)))}::text[],
    ${sql.binary(texts(scans.map((scan) => scan?.tagValue ?? null)))}::text[],
    ${sql.binary(doubles(scans.map((scan) => scan?.rssi ?? null)))}::float8[],
    ${sql.binary(integers(readers.map((reader) => reader?.readerId ?? null)))}::integer[],
    ${sql.binary(smallints(readers.map((reader) => reader?.antenna ?? null)))}::smallint[],
    ${sql.binary(integers(handhelds.map((handheld) => handheld?.handheldId ?? null)))}::integer[],
    ${sql.binary(texts(handhelds.map((handheld) => handheld?.submissionId ?? null)))}::text[],
    ${sql.binary(integers(handhelds.map((handheld) => handheld?.index ?? null)))}::integer[],
    ${sql.binary(texts(scans.map((scan) => scan?.proof ?? null)))}::text[]`;
}

/** Stored values give way to null, too. */
const REPLACING = sql.fragment`on conflict (org_id, asset_id, observed_at)
  do update set location_id = excluded.location_id, duration_seconds = excluded.duration_seconds,
    received_at = excluded.received_at, tag_type = excluded.tag_type, tag_value = excluded.tag_value,
    rssi = excluded.rssi, reader_id = excluded.reader_id, antenna = excluded.antenna,
    handheld_id = excluded.handheld_id, submission_id = excluded.submission_id,
    submission_index = excluded.submission_index, proof = excluded.proof,
    position_plan_location_id = excluded.position_plan_location_id, position_x = excluded.position_x,
    position_y = excluded.position_y, position_radius = excluded.position_radius`;

/**
 * Only late scans have transitions to delete. Rows are found by key one by one and then deleted by `ctid`: a join of
 * keys and table could be planned as one of two whole tables. One hundred of as many assets take 1.2 ms where a
 * statement for each asset took 1.8, half of it the marks of histories; with 38 chunks 4 and 26 ms.
 *
 * @returns how many were stored.
 */
export async function deleteTransitions(
  db: Connection,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<number> {
  if (transitions.length === 0) {
    return 0;
  }
  const first = transitions.reduce((at, { observedAt }) => Math.min(at, observedAt), Number.MAX_SAFE_INTEGER);
  const last = transitions.reduce((at, { observedAt }) => Math.max(at, observedAt), Number.MIN_SAFE_INTEGER);
  // Bounds of all transitions, by which the database excludes chunks once.
  return db.exec(sql.prepared('delete-transitions', NO_ROWS)`
    delete from location_transitions
    using unnest(
        ${sql.binary(integers(transitions.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(transitions.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(transitions.map(({ observedAt }) => observedAt)))}::timestamptz[])
        as gone (org_id, asset_id, observed_at)
      cross join lateral (
        select tableoid as part, ctid as row from location_transitions stored
        where stored.org_id = gone.org_id and stored.asset_id = gone.asset_id
          and stored.observed_at = gone.observed_at
          and stored.observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
        offset 0
      ) old
    where location_transitions.ctid = old.row and location_transitions.tableoid = old.part`);
}
