import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { Explanation } from '../../../domain/tracking/why/explain.ts';
import type { Names } from '../../../domain/tracking/why/names.ts';
import { shownTime } from '../command-line/instants.ts';

export function whyJson(
  asset: { id: number; external_key: string },
  { stay, decidedBy, reason, rivals, saidBefore }: Explanation,
  names: Names,
): object {
  const keyOf = (id: number | null) => (id === null ? null : (names.locations.get(id) ?? null));
  return {
    asset,
    stay: {
      location_id: stay.locationId,
      location_external_key: keyOf(stay.locationId),
      from: shownTime(stay.from),
      to: stay.to === null ? null : shownTime(stay.to),
    },
    decided_by: decidedBy === null ? null : scanJson(decidedBy, stay.from, names),
    late_seconds: decidedBy === null ? null : lateSeconds(decidedBy, stay.from),
    rule: reason,
    neighbours:
      rivals?.map(({ scan, lostByDb, tieBrokenBy }) => ({
        location_id: scan.locationId,
        location_external_key: keyOf(scan.locationId),
        ...(scan.scan ? scanJson(scan.scan, scan.observedAt, names) : {}),
        lost_by_db: lostByDb,
        tie_broken_by: tieBrokenBy,
      })) ?? null,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location_external_key: keyOf(locationId),
      until: shownTime(until),
    })),
  };
}

/** Whole seconds from when the scan was made to when it was received; negative if the device's clock is ahead. */
export function lateSeconds({ receivedAt }: DecidingScan, observedAt: Micros): number {
  return Math.floor((receivedAt - observedAt) / MICROS_PER_SECOND);
}

function scanJson(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  { readers }: Names,
): object {
  return {
    ...(source.kind === 'reader'
      ? { reader_id: source.readerId, reader: readers.get(source.readerId) ?? null, antenna: source.antenna }
      : { handheld_id: source.handheldId, submission_id: source.submissionId, index: source.index }),
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: shownTime(observedAt),
    received_at: shownTime(receivedAt),
  };
}
