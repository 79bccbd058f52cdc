import type { Micros } from '../../base/instant.ts';
import { rowKey } from '../../base/row-key.ts';
import { fromDatabase, toMicros, wireTime, wireTimeOfMicros, wireTimeOrNull } from '../../base/timestamps.ts';
import { ALERT_TYPES, type AlertEvent, type AlertNames, alertOf, isAlertKind } from './alert-event.ts';

/** An event of the feed as sent: CloudEvents 1.0, structured JSON. */
export interface MoveEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: MoveType;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: {
    position: number;
    asset: { id: number; external_key: string };
    current: {
      location_id: number | null;
      location_external_key: string | null;
      since: string | null;
      last_seen: string | null;
      changed: boolean;
    };
    added: HistoryRow[];
    removed: HistoryRow[];
    changed: ChangedRow[];
    /** The number of the event and their count, if a change is too large for one event. */
    part?: [part: number, parts: number];
  };
}

export type MoveType = (typeof MOVE_TYPES)[keyof typeof MOVE_TYPES];

export const MOVE_TYPES = {
  moved: 'tagtrail.asset.moved.v1',
  corrected: 'tagtrail.history.corrected.v1',
} as const;

interface HistoryRow {
  row: string;
  event_observed_at: string;
  location_id: number;
  location_external_key: string;
  duration_seconds: number | null;
}

interface ChangedRow extends HistoryRow {
  was: { location_id: number; duration_seconds: number | null };
}

export type FeedEvent = MoveEvent | AlertEvent;

export type FeedType = FeedEvent['type'];

export const FEED_TYPES = { ...MOVE_TYPES, ...ALERT_TYPES } as const;

export function isAlert(event: FeedEvent): event is AlertEvent {
  return 'alert' in event.data;
}

/** A row of `moves`, with present names. */
export interface MoveRow extends AlertNames {
  org_id: number;
  position: number;
  /** Null of an alert. */
  asset_id: number | null;
  kind: keyof typeof FEED_TYPES;
  part: number;
  parts: number;
  recorded_at: string;
  location_id: number | null;
  location_external_key: string | null;
  since: string | null;
  last_seen: string | null;
  previous_location_id: number | null;
  duration_seconds: number | null;
  /** As `db/timescale/schema/tables/moves.sql` describes; null for a plain move. */
  rows: string | null;
  /** External keys of the locations in `rows`, by id. */
  keys: string | null;
}

/** The content of `moves.rows`. */
export interface StoredRows {
  added?: readonly StoredRow[];
  removed?: readonly StoredRow[];
  changed?: readonly StoredChange[];
}

export type StoredRow = readonly [observedAt: Micros, locationId: number, duration: number | null];
export type StoredChange = readonly [...StoredRow, locationBefore: number, durationBefore: number | null];

export function eventOf(row: MoveRow): FeedEvent {
  const { org_id: orgId, position, asset_id: assetId, kind } = row;
  const envelope = {
    specversion: '1.0',
    id: `org-${orgId}-${position}`,
    source: `/orgs/${orgId}/moves`,
    time: wireTime(row.recorded_at),
    datacontenttype: 'application/json',
  } as const;
  if (isAlertKind(kind)) {
    const alert = alertOf(row);
    return { ...envelope, type: ALERT_TYPES[kind], subject: `alerts/${alert.id}`, data: { position, alert } };
  }
  return {
    ...envelope,
    type: MOVE_TYPES[kind],
    subject: `assets/${assetId}`,
    data: {
      position,
      asset: { id: assetId ?? 0, external_key: row.asset_external_key ?? '' },
      current: {
        location_id: row.location_id,
        location_external_key: row.location_external_key,
        since: wireTimeOrNull(row.since),
        last_seen: wireTimeOrNull(row.last_seen),
        changed: row.location_id !== row.previous_location_id,
      },
      ...changesOf(row),
      ...(row.parts > 1 ? { part: [row.part, row.parts] } : {}),
    },
  };
}

function changesOf(row: MoveRow): Pick<MoveEvent['data'], 'added' | 'removed' | 'changed'> {
  const keys = keysOf(row);
  const { added = [], removed = [], changed = [] } = storedRows(row);
  const rowOf = ([observedAt, locationId, duration]: StoredRow | StoredChange): HistoryRow => ({
    row: rowKey(observedAt),
    event_observed_at: wireTimeOfMicros(observedAt),
    location_id: locationId,
    location_external_key: keys[locationId] as string,
    duration_seconds: duration,
  });
  return {
    added: added.map(rowOf),
    removed: removed.map(rowOf),
    changed: changed.map((change) => ({
      ...rowOf(change),
      was: { location_id: change[3], duration_seconds: change[4] },
    })),
  };
}

/** External keys of the locations of its rows, by id. */
export function keysOf(row: MoveRow): Readonly<Record<number, string>> {
  return row.keys === null
    ? { [Number(row.location_id)]: row.location_external_key as string }
    : JSON.parse(row.keys);
}

export function storedRows({
  rows,
  since,
  location_id: locationId,
  duration_seconds: duration,
}: MoveRow): StoredRows {
  if (rows !== null) {
    return JSON.parse(rows);
  }
  return since === null || locationId === null
    ? {}
    : { added: [[toMicros(fromDatabase(since)), locationId, duration]] };
}
