import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { ScanResult } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';

/**
 * States of a scan on the device:
 *
 * queued -> bundled (in a submission, which may have been sent) -> done | refused
 *
 * A refused scan is queued anew when the user resends it, and deleted when the user discards it.
 */
export type ScanState = 'queued' | 'bundled' | 'done' | 'refused';

export interface NewScan {
  tag_type: TagType;
  value: string;
  /** By the device's clock; RFC 3339 in UTC. */
  observed_at: string;
  place: Place | null;
  /** Part of the walk: a new one begins whenever the place changes on the device. */
  leg: string;
  /** The place that the tag belongs to, if known as a location's: the walk goes on there. */
  sets: Place | null;
  sweep: string | null;
}

export interface StoredScan extends NewScan {
  /** Grows from scan to scan over all tabs. */
  seq: number;
  state: ScanState;
  submission_id: string | null;
  result: ScanResult | null;
}
