import type { Micros } from '../../base/instant.ts';
import { wireTimeOfMicros } from '../../base/timestamps.ts';

/** A change of an alert's state, as an event of the feed. */
export interface AlertEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: (typeof ALERT_TYPES)[keyof typeof ALERT_TYPES];
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: { position: number; alert: AlertTold };
}

/** By `moves.kind`. */
export const ALERT_TYPES = {
  alert_opened: 'tagtrail.alert.opened.v1',
  alert_acknowledged: 'tagtrail.alert.acknowledged.v1',
  alert_closed: 'tagtrail.alert.closed.v1',
  alert_withdrawn: 'tagtrail.alert.withdrawn.v1',
} as const;

export function isAlertKind(kind: string): kind is keyof typeof ALERT_TYPES {
  return kind in ALERT_TYPES;
}

/** An alert as of a change of its state. */
export interface AlertTold {
  id: string;
  rule: { id: string; name: string };
  kind: string;
  level: 'warning' | 'alarm' | null;
  state: 'open' | 'acknowledged' | 'closed' | 'withdrawn';
  asset: { id: number; external_key: string } | null;
  reader: { id: number; name: string } | null;
  location: { id: number; external_key: string } | null;
  opened_at: string;
  recorded_at: string;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  closed_at: string | null;
  because: unknown;
}

/** The present names of an event's asset, location and reader. */
export interface AlertNames {
  asset_external_key: string | null;
  asset_name: string | null;
  reader_name: string | null;
  alert_location_external_key: string | null;
}

/** As the trigger `tell_alert` writes it. */
interface StoredAlert {
  id: string;
  rule_id: string;
  rule_name: string;
  kind: string;
  asset_id: number | null;
  reader_id: number | null;
  location_id: number | null;
  level: AlertTold['level'];
  state: AlertTold['state'];
  opened_at: Micros;
  recorded_at: Micros;
  acknowledged_at: Micros | null;
  acknowledged_by: string | null;
  closed_at: Micros | null;
  because: unknown;
}

export function alertOf({ rows, ...names }: AlertNames & { rows: string | null }): AlertTold {
  const [stored] = (JSON.parse(rows ?? '') as { alert: [StoredAlert] }).alert;
  const { asset_id: assetId, reader_id: readerId, location_id: locationId } = stored;
  return {
    id: stored.id,
    rule: { id: stored.rule_id, name: stored.rule_name },
    kind: stored.kind,
    level: stored.level,
    state: stored.state,
    asset: assetId === null ? null : { id: assetId, external_key: names.asset_external_key ?? '' },
    reader: readerId === null ? null : { id: readerId, name: names.reader_name ?? '' },
    location:
      locationId === null ? null : { id: locationId, external_key: names.alert_location_external_key ?? '' },
    opened_at: wireTimeOfMicros(stored.opened_at),
    recorded_at: wireTimeOfMicros(stored.recorded_at),
    acknowledged_at: timeOrNull(stored.acknowledged_at),
    acknowledged_by: stored.acknowledged_by,
    closed_at: timeOrNull(stored.closed_at),
    because: stored.because,
  };
}

function timeOrNull(at: Micros | null): string | null {
  return at === null ? null : wireTimeOfMicros(at);
}
