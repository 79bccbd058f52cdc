import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Place } from './place.ts';

/** What became of one scan of a submission. */
export interface ScanResult {
  status: string;
  /** Where the asset was before it was moved. */
  from: Place | null;
  asset: AssetRef | null;
  /** The place that the scan of a location's tag set. */
  location: Place | null;
}

export interface AssetRef {
  id: number;
  external_key: string;
  name: string;
}

/** An asset that should be at a location. */
export interface ListedAsset extends AssetRef {
  tags: readonly { tag_type: string; value: string }[];
}

/** What a submission says of one scan. */
export interface SubmittedScan {
  tag_type: TagType;
  value: string;
  observed_at: string;
}

/** A submission as it is sent, again and again if need be: all but the time of sending stays. */
export interface Submission {
  submission_id: string;
  location?: { id: number };
  scans: SubmittedScan[];
}

/** How a request ended. Only the gateway's own words count: a hotel's log-in page is as good as no network. */
export type Answer<Data> =
  /** `total` of a list: how many rows it has in all its pages. */
  | { kind: 'ok'; data: Data; total?: number | undefined }
  /** The gateway will say the same again: not worth repeating. */
  | { kind: 'refused'; status: number; detail: string }
  /**
   * More than the gateway, or a server in front of it, takes at once, or than the network brings there in time: it was
   * not read whole.
   */
  | { kind: 'too_large'; detail: string; isForSlowness: boolean }
  | { kind: 'unauthorized'; detail: string }
  /** Worth repeating later; `seconds` if the gateway said when. */
  | { kind: 'unreachable'; detail: string; seconds: number | null };
