import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { ScanResult } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';

/**
 * States of a scan on the device:
 *
 * queued -> bundled (in a submission, which may have been sent) -> done | refused
 *
 * A refused scan is queued again when the user resends it, and deleted when the user discards it. One that the user takes
 * back before it is in a submission is withdrawn, and never sent. Those of a sweep that only checks are held, with what
 * the gateway knows of their tags as result, until the user has what was found moved here, if ever.
 */
export type ScanState = 'queued' | 'bundled' | 'done' | 'refused' | 'withdrawn' | 'held';

export interface NewScan {
  /** As chosen, or guessed; once answered, as the gateway found it. */
  tag_type: TagType;
  /** The kind was guessed; missing in what earlier versions stored. */
  guessed?: boolean;
  value: string;
  /** By the device's clock; RFC 3339 in UTC. */
  observed_at: string;
  place: Place | null;
  /** Part of the walk: a new one begins whenever the place changes on the device. */
  leg: string;
  /** The place that the tag belongs to, if known as a location's: the walk continues there. */
  sets: Place | null;
  sweep: string | null;
  /** For a sweep that only checks. */
  isHeld?: boolean;
}

export interface StoredScan extends NewScan {
  /** Grows from scan to scan over all tabs. */
  seq: number;
  state: ScanState;
  submission_id: string | null;
  /** In its submission; missing in what earlier versions sent. */
  index?: number;
  result: ScanResult | null;
  /** The user takes it back after it was sent; the reason if the gateway refuses that. */
  undo?: { id: string; state: 'asked' | 'done' | 'refused'; reason: string | null };
}

export function withResult(scan: StoredScan, result: ScanResult | null): StoredScan {
  return { ...scan, tag_type: result?.tag_type ?? scan.tag_type, result };
}

/** Whether the user has taken it back, in any state. */
export function isUndone({ state, undo }: StoredScan): boolean {
  return state === 'withdrawn' || (undo !== undefined && undo.state !== 'refused');
}
