import type { ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../places/place.ts';

/** A sweep of a location, kept on the device until the user is done with it. */
export interface Sweep {
  id: string;
  place: Place;
  started_at: string;
  finished_at: string | null;
  /** What should be there; null if the gateway could not be asked and never was before. */
  expected: ListedAsset[] | null;
  /** When the gateway said so. */
  fetched_at: string | null;
  /**
   * Which list that is: the one `asked` for at the beginning; an `earlier` one or none, for want of a network; one of
   * `later`, when the network was back. Or the place is `gone`. Sweeps of earlier versions do not say.
   */
  list?: 'asked' | 'earlier' | 'later' | 'gone';
}

/** Whether the list has still to be asked for. */
export function wantsList({ expected, list }: Sweep): boolean {
  return list === 'earlier' || (list === undefined && expected === null);
}
