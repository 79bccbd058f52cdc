import type { Place } from '../gateway/place.ts';
import type { Sweep } from '../sweep/sweep.ts';
import { texts } from '../texts/texts.ts';
import type { Notice } from './announcer.ts';

/** What the user was at. */
export interface Whereabouts {
  sweep: Sweep | null;
  place: Place | null;
}

/** What does not exist under the new token: the sweep, or the place. */
export function endedBySignIn(before: Whereabouts, after: Whereabouts): Notice | null {
  const { signedIn: word, noSuchPlace: says, sweepOver, noLongerAt } = texts.value.signIn;
  if (before.sweep !== null && after.sweep === null) {
    return { word, title: sweepOver(before.sweep.place.name), says };
  }
  if (before.place !== null && after.place === null) {
    return { word, title: noLongerAt(before.place.name), says };
  }
  return null;
}
