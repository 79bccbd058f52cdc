import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { Explanation, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import type { Names } from '../../../domain/tracking/why/names.ts';
import type { Reference } from '../serving/reference.ts';

const NOTHING = {
  ...{ first_seen: null, stay: null, decided_by: null, late_seconds: null, rule: null },
  ...{ rivals: null, reads: null, said_before: [] },
};

export function notSeenView({ firstSeen }: NotSeenYet) {
  return { ...NOTHING, first_seen: firstSeen === null ? null : wireTimeOfMicros(firstSeen) };
}

export function whyView(
  { stay, decidedBy, reason, rivals, around, saidBefore }: Explanation,
  names: Names,
  locations: ReadonlyMap<number, Reference>,
) {
  const nameOf = (id: number | null) => (id === null ? null : (locations.get(id) ?? null));
  const scanOf = (scan: DecidingScan | null | undefined, at: Micros) =>
    scan === null || scan === undefined ? null : scanView(scan, at, names);
  return {
    ...NOTHING,
    stay: {
      location: nameOf(stay.locationId),
      from: wireTimeOfMicros(stay.from),
      to: stay.to === null ? null : wireTimeOfMicros(stay.to),
    },
    decided_by: scanOf(decidedBy, stay.from),
    late_seconds:
      decidedBy === null ? null : Math.floor((decidedBy.receivedAt - stay.from) / MICROS_PER_SECOND),
    rule: reason,
    rivals:
      rivals?.map(({ scan, lostByDb, tieBrokenBy }) => ({
        location: nameOf(scan.locationId),
        at: wireTimeOfMicros(scan.observedAt),
        scan: scanOf(scan.scan, scan.observedAt),
        rssi: scan.rssi,
        lost_by_db: lostByDb,
        tie_broken_by: tieBrokenBy,
      })) ?? null,
    reads:
      around?.map(({ locationId, observedAt, rssi, isByPerson }) => ({
        location: nameOf(locationId),
        at: wireTimeOfMicros(observedAt),
        rssi,
        is_by_person: isByPerson,
      })) ?? null,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location: nameOf(locationId),
      until: wireTimeOfMicros(until),
    })),
  };
}

function scanView(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  { readers, handhelds }: Names,
) {
  const [id, name] =
    source.kind === 'reader'
      ? [source.readerId, readers.get(source.readerId)]
      : [source.handheldId, handhelds.get(source.handheldId)];
  return {
    by: source.kind,
    device: name === undefined ? null : { id, name },
    antenna: source.kind === 'reader' ? source.antenna : null,
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: wireTimeOfMicros(observedAt),
    received_at: wireTimeOfMicros(receivedAt),
  };
}
