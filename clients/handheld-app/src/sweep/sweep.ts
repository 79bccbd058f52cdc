import type { ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';

/**
 * What a sweep may be compared with: an earlier list or none while the one asked for at the beginning is `awaited`; that
 * one, `asked` for and answered before anything was scanned, or come `during` the sweep; an `earlier` one or none, for
 * want of a network; one of `later`, when the network was back. Or the place is `gone`.
 */
export const LISTS = ['awaited', 'asked', 'during', 'earlier', 'later', 'gone'] as const;

/** A sweep of a location, kept on the device until the user is done with it. */
export interface Sweep {
  id: string;
  place: Place;
  started_at: string;
  finished_at: string | null;
  /** What should be there; null if the gateway has not said so, and never did before. */
  expected: ListedAsset[] | null;
  /** When the gateway said so. */
  fetched_at: string | null;
  /** Which list that is. Sweeps of earlier versions do not say. */
  list?: (typeof LISTS)[number];
}

/** Whether the list has still to be asked for. */
export function wantsList({ expected, list }: Sweep): boolean {
  return list === 'awaited' || list === 'earlier' || (list === undefined && expected === null);
}
