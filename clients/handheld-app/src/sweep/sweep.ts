import type { ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';

/**
 * Which list a sweep is compared with: an earlier one or none while the one requested at the start is `awaited`; that
 * one, `asked` for and answered before any scan, or received `during` the sweep; an `earlier` one or none, without a
 * network; one of `later`, when the network was back. Or the place is `gone`.
 */
export const LISTS = ['awaited', 'asked', 'during', 'earlier', 'later', 'gone'] as const;

/** A sweep of a location, stored until the user is done with it. */
export interface Sweep {
  id: string;
  place: Place;
  started_at: string;
  finished_at: string | null;
  /** Nothing moves but what the user has moved here. */
  isCheck?: boolean;
  expected: ListedAsset[] | null;
  fetched_at: string | null;
  /** Missing in sweeps of earlier versions. */
  list?: (typeof LISTS)[number];
}

export function wantsList({ expected, list }: Sweep): boolean {
  return list === 'awaited' || list === 'earlier' || (list === undefined && expected === null);
}

/** The expected assets are unknown, which does not mean that there are none. */
export function lacksList(sweep: Sweep): boolean {
  return sweep.expected === null && wantsList(sweep);
}
