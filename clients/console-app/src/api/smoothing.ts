import type { Reference } from './whereabouts.ts';

export type SmoothingMode = 'on' | 'off' | 'inherit';

export interface SmoothingValues {
  mode: SmoothingMode;
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

export interface MadeSetting extends SmoothingValues {
  id: number;
  /** Null for all places that have no setting of their own. */
  location: Reference | null;
  valid_from: string;
  is_in_force: boolean;
  actor: { type: string; id: string; name: string | null } | null;
}

export interface FlappingPair {
  locations: readonly [Reference, Reference];
  moves: number;
  assets: number;
}

export interface MoveCounts {
  present: number;
  proposed: number;
  kept: number;
  redated: number;
  removed: number;
  added: number;
}

export interface TriedPair extends MoveCounts {
  from: Reference;
  to: Reference;
}

export interface TriedMove {
  change: 'disappears' | 'appears';
  asset: Reference;
  at: string;
  from: Reference;
  to: Reference;
}

/** Location and when the stay began, in milliseconds since 1970. */
export type TriedStay = readonly [number, number];

export interface TriedAsset {
  asset: Reference;
  present: number;
  proposed: number;
  /** Moves dated anew are removed and added. */
  removed: number;
  added: number;
  stays: readonly TriedStay[];
  stays_then: readonly TriedStay[];
  /** Later moves are counted only; null if there are none. */
  told_until: string | null;
}

export interface TrialResult extends MoveCounts {
  covered: {
    from: string;
    to: string;
    scans: number;
    assets: number;
    of: number;
    cut_by: 'scans' | 'assets' | 'time' | null;
  };
  pairs: readonly TriedPair[];
  other_pairs: MoveCounts;
  moves: readonly TriedMove[];
  moves_left_out: number;
  assets: readonly TriedAsset[];
  locations: readonly Reference[];
}
