import type { Micros } from '../../base/instant.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Sighting } from './history/history.ts';
import type { Scan } from './scan.ts';

/** A scan of a known asset at a live location: what is written. */
export interface LocatedScan extends AssetRef {
  scan: Scan;
  /** The value of the tag it resolved to. */
  tagValue: string;
  locationId: number;
  observedAt: Micros;
  timeIsReceived: boolean;
}

/**
 * One string for what is the same scan: reader, antenna, tag and time, or submission and index. The tag counts by
 * its value, so that a read delivered again after its tag was attached elsewhere is still the same read.
 */
export function scanName({ orgId, scan, tagValue, observedAt }: LocatedScan): string {
  const { source, tagType } = scan;
  return source.kind === 'reader'
    ? `${orgId} ${observedAt} ${source.readerId} ${source.antenna} ${tagType} ${tagValue}`
    : `${orgId} ${source.submissionId} ${source.index}`;
}

export function toSighting({ observedAt, locationId, scan }: LocatedScan): Sighting {
  return { observedAt, locationId, rssi: scan.rssi };
}
