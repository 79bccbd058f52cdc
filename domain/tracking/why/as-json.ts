import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import type { MetricPosition } from '../history/metric-position.ts';
import type { Evidence } from '../location/stated-locations.ts';
import type { Explanation, Latest } from './explain.ts';
import { lackOf, oddsOf } from './lack.ts';
import { antennaShown, type Names } from './names.ts';

/**
 * An explanation as JSON has it, with names in place of ids.
 *
 * @param most rows of each list.
 */
export function explanationAsJson(
  asset: { id: number; external_key: string },
  explanation: Explanation,
  names: Names,
  most = Number.POSITIVE_INFINITY,
): object {
  const { stay, decidedBy, rule, evidence, latest, rivals, saidBefore } = explanation;
  const keyOf = (id: number | null) => (id === null ? null : (names.locations.get(id) ?? null));
  return {
    asset,
    stay:
      stay === null
        ? null
        : {
            location_id: stay.locationId,
            location_external_key: keyOf(stay.locationId),
            from: wireTimeOfMicros(stay.from),
            to: stay.to === null ? null : wireTimeOfMicros(stay.to),
            position: positionJson(stay.position, keyOf),
          },
    decided_by: decidedBy === null || stay === null ? null : scanJson(decidedBy, stay.from, names),
    late_seconds: decidedBy === null || stay === null ? null : lateSeconds(decidedBy, stay.from),
    rule,
    decision: evidence === null ? null : decisionJson(evidence, keyOf, names, most),
    is_too_much: explanation.isTooMuch,
    is_as_recorded: explanation.isAsRecorded,
    latest: latest === null ? null : latestJson(latest, keyOf, names, most),
    neighbours:
      rivals?.slice(0, most).map(({ scan, lostByDb, tieBrokenBy }) => ({
        location_id: scan.locationId,
        location_external_key: keyOf(scan.locationId),
        ...scanJson(scan.scan, scan.observedAt, names),
        lost_by_db: lostByDb,
        tie_broken_by: tieBrokenBy,
      })) ?? null,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location_external_key: keyOf(locationId),
      until: wireTimeOfMicros(until),
    })),
  };
}

type KeyOf = (id: number | null) => string | null;

function latestJson(
  { at, locationId, rule, evidence }: Latest,
  keyOf: KeyOf,
  names: Names,
  most: number,
): object {
  const lack = evidence === null ? null : lackOf(evidence);
  return {
    at: wireTimeOfMicros(at),
    location_external_key: keyOf(locationId),
    rule,
    decision: evidence === null ? null : decisionJson(evidence, keyOf, names, most),
    lack: lack === null ? null : { ...lack, here: keyOf(lack.here), there: keyOf(lack.there) },
  };
}

function decisionJson(evidence: Evidence, keyOf: KeyOf, { readers }: Names, most: number): object {
  const { window, heard, shares, odds } = evidence;
  return {
    procedure: evidence.procedure,
    location_external_key: keyOf(evidence.locationId),
    is_decided: evidence.proof !== null,
    certainty: evidence.certainty,
    from: wireTimeOfMicros(window.from),
    to: wireTimeOfMicros(window.to),
    unit: evidence.unit,
    heard: heard
      .slice(0, most)
      .map(({ locationId, readerId, antenna, reads, readsWithRssi, level, margin }) => ({
        location_external_key: keyOf(locationId),
        ...{ reader_id: readerId, reader: readers.get(readerId) ?? null, antenna, reads },
        ...{ reads_with_rssi: readsWithRssi, level },
        reached: margin?.reached ?? null,
        needed: margin?.needed ?? null,
      })),
    shares:
      shares
        ?.slice(0, most)
        .map(({ locationId, share }) => ({ location_external_key: keyOf(locationId), share })) ?? null,
    odds: odds === null ? null : oddsOf(odds),
    position: positionJson(evidence.position, keyOf),
  };
}

function positionJson(position: MetricPosition | null, keyOf: KeyOf): object | null {
  return position === null
    ? null
    : {
        plan_location_external_key: keyOf(position.planLocationId),
        ...{ x: position.x, y: position.y, radius_m: position.radius },
      };
}

/** Whole seconds from when the scan was made to when it was received; negative if the device's clock is ahead. */
export function lateSeconds({ receivedAt }: DecidingScan, observedAt: Micros): number {
  return Math.floor((receivedAt - observedAt) / MICROS_PER_SECOND);
}

function scanJson(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  names: Names,
): object {
  const { readers } = names;
  return {
    ...(source.kind === 'reader'
      ? {
          reader_id: source.readerId,
          reader: readers.get(source.readerId) ?? null,
          antenna: antennaShown(names, source.readerId, source.antenna),
        }
      : { handheld_id: source.handheldId, submission_id: source.submissionId, index: source.index }),
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: wireTimeOfMicros(observedAt),
    received_at: wireTimeOfMicros(receivedAt),
  };
}
