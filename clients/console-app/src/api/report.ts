/** Rows of the API's reports (contract 2.9). */
interface AssetAndPlace {
  asset_id: number;
  asset_external_key: string;
  asset_deleted_at: string | null;
  location_id: number;
  location_external_key: string;
}

export interface PositionAt extends AssetAndPlace {
  since: string;
  last_seen: string;
}

export interface ReportedStay extends AssetAndPlace {
  entered_at: string;
  left_at: string | null;
  seconds_in_window: number;
  began_before: boolean;
  goes_on_after: boolean;
}

/** What a row sums up; the others are null. */
interface OfGroup {
  asset_id: number | null;
  asset_external_key: string | null;
  day: string | null;
}

export interface Dwell extends OfGroup {
  location_id: number | null;
  location_external_key: string | null;
  seen: boolean;
  total_seconds: number;
  mean_seconds: number;
  median_seconds: number;
  p90_seconds: number;
  max_seconds: number;
  stays: number;
  assets: number;
}

export interface Turns extends OfGroup {
  count: number;
  median_seconds: number | null;
  p90_seconds: number | null;
  max_seconds: number | null;
  not_ended: number;
}

export interface ReportedSweep {
  sweep_id: string;
  location_id: number;
  location_external_key: string;
  handheld_id: number;
  handheld_name: string;
  ended_at: string;
  expected: number;
  found: number;
  moved_here: number;
  missing: number;
  unknown: number;
  accuracy: number | null;
}

export const PRESENCE_STATES = ['present', 'overdue', 'missing', 'unknown', 'never_seen'] as const;

export type PresenceState = (typeof PRESENCE_STATES)[number];

export type Because =
  | { reader_id: number; reader_name: string; since: string | null }
  | { sweep_id: string }
  | { rule_id: string };

export interface Presence {
  asset_id: number;
  asset_external_key: string;
  asset_deleted_at: string | null;
  location_id: number | null;
  location_external_key: string | null;
  last_seen: string | null;
  state: PresenceState;
  state_since: string | null;
  unseen_covered_seconds: number | null;
  because: Because | null;
}
