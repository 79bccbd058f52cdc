import type { StoredScan } from '../storage/scan.ts';

/**
 * Whether a scan is recorded nowhere for want of a place: not sent yet, or sent and not recorded. A place given
 * afterwards mends that.
 */
export function isUnplaced({ place, sets, state, result }: StoredScan): boolean {
  const isUnrecorded = state === 'queued' || state === 'bundled' || result?.status === 'no_location';
  return place === null && sets === null && isUnrecorded;
}
