import type { Place } from '../gateway/place.ts';
import type { Sweep } from '../sweep/sweep.ts';
import type { Notice } from './announcer.ts';

/** What the user was at. */
export interface Whereabouts {
  sweep: Sweep | null;
  place: Place | null;
}

/** What does not exist under the new token: the sweep, or the place. */
export function endedBySignIn(before: Whereabouts, after: Whereabouts): Notice | null {
  const word = 'Signed in';
  const says = 'This token’s organization has no such place. Choose where you are.';
  if (before.sweep !== null && after.sweep === null) {
    return { word, title: `The sweep of ${before.sweep.place.name} is over`, says };
  }
  if (before.place !== null && after.place === null) {
    return { word, title: `You are no longer at ${before.place.name}`, says };
  }
  return null;
}
