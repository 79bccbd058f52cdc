import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Place } from './place.ts';

export interface ScanResult {
  status: string;
  /** The kind of tag that was found; missing in what earlier versions stored. */
  tag_type?: TagType;
  /** The asset's place before the move. */
  from: Place | null;
  asset: AssetRef | null;
  /** Place set by the scan of a location's tag. */
  location: Place | null;
}

export interface AssetRef {
  id: number;
  external_key: string;
  name: string;
}

export interface ListedAsset extends AssetRef {
  tags: readonly { tag_type: string; value: string }[];
}

export interface SubmittedScan {
  tag_type: TagType;
  guessed?: boolean;
  value: string;
  observed_at: string;
}

/** Resent unchanged, except for the time of sending. */
export interface Submission {
  submission_id: string;
  location?: { id: number };
  scans: SubmittedScan[];
}

/** Resent unchanged. */
export interface Retraction {
  retraction_id: string;
  submission_id: string;
  indexes: readonly number[];
}

/** The result of a finished sweep. Resent unchanged, except for the time of sending. */
export interface SweepReport {
  location: { id: number };
  /** By the device's clock, as `ended_at`. */
  began_at: string;
  ended_at: string;
  include_descendants: boolean;
  expected: readonly number[];
  found: readonly number[];
  moved_here: readonly number[];
  missing: readonly number[];
  unknown: readonly string[];
}

/** The outcome of a request. Only the gateway itself counts: a hotel's log-in page is no network. */
export type Answer<Data> =
  /** `total`: number of rows of a list on all pages. */
  | { kind: 'ok'; data: Data; total?: number | undefined }
  /** Not worth retrying: the gateway will say the same again. */
  | { kind: 'refused'; status: number; detail: string }
  /**
   * Too much for the gateway, a server in front of it, or the network in the time allowed: it was not read completely.
   */
  | { kind: 'too_large'; detail: string; isForSlowness: boolean }
  | { kind: 'unauthorized'; detail: string }
  /** Worth retrying; `seconds` if the gateway said when. */
  | { kind: 'unreachable'; detail: string; seconds: number | null };

export type Unanswered = Extract<Answer<unknown>, { kind: 'unauthorized' | 'unreachable' }>;
