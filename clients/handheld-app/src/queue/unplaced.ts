import type { StoredScan } from '../storage/scan.ts';

/**
 * Whether a scan was made before anybody said where, so that it is recorded nowhere: it is not sent yet, or was sent
 * and not recorded. A place given to it afterwards mends that.
 */
export function isUnplaced({ place, sets, state, result }: StoredScan): boolean {
  const isUnrecorded = state === 'queued' || state === 'bundled' || result?.status === 'no_location';
  return place === null && sets === null && isUnrecorded;
}
