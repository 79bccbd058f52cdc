export type State = 'present' | 'overdue' | 'missing' | 'unknown' | 'never_seen';

/** The facts that decide which assets were to be missed, and when. Times are RFC 3339 in UTC with milliseconds. */
export interface PresenceDocument {
  from: string;
  until: string;
  /** As the continuous locations were set up. */
  max_gap_seconds: number;
  /** As of every reader. */
  expected_seconds: number;
  /** Anything at a continuous location was read within this time, if its reader was up. */
  reread_seconds: number;
  /** All others are portals. */
  continuous: { location: string; reader: string }[];
  /** That were set for the run. */
  rules: SiteRules;
  assets: AssetWhereabouts[];
  readers: ReaderTroubles[];
}

export interface SiteRules {
  overdue: { id: string; after_seconds: number; then_seconds: number };
  reader: { id: string; after_seconds: number };
}

export interface AssetWhereabouts {
  asset: string;
  /** Null if nobody stole it. */
  taken_at: string | null;
  /** In order; `until` is null where it was still there at the end. */
  there: { location: string; from: string; until: string | null }[];
}

export interface ReaderTroubles {
  reader: string;
  /** Negative if it is behind. */
  clock_ahead_seconds: number;
  /** In order; `kept`: it sent what it had read meanwhile afterwards. */
  down: { from: string; until: string | null; kept: boolean }[];
}
