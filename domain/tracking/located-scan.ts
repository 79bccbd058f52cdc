import type { Micros } from '../../base/instant.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Seen } from './location/stated-locations.ts';
import type { Scan } from './scan.ts';

export interface LocatedScan extends AssetRef {
  scan: Scan;
  /** As attached, perhaps in another notation than was read. */
  tagValue: string;
  locationId: number;
  observedAt: Micros;
  timeIsReceived: boolean;
}

/**
 * Tracking rule 3: equal for copies of one scan. The tag enters by its value, so that a read delivered again after its
 * tag was attached to another asset is still the same read.
 */
export function scanKey({ orgId, scan, tagValue, observedAt }: LocatedScan): string {
  const { source, tagType } = scan;
  return source.kind === 'reader'
    ? `${orgId} ${observedAt} ${source.readerId} ${source.antenna} ${tagType} ${tagValue}`
    : `${orgId} ${source.submissionId} ${source.index}`;
}

/** With the scan that it is of. */
export function toSighting({ observedAt, locationId, tagValue, scan }: LocatedScan): Seen {
  const { receivedAt, tagType, rssi, source } = scan;
  return { observedAt, locationId, rssi, scan: { receivedAt, tagType, tagValue, rssi, source } };
}
