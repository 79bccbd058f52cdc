import {
  type DecidedTransition,
  isLater,
  locationAt,
  onePerInstant,
  type Sighting,
} from './history/history.ts';
import type { Span } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import type { Position, Touched } from './positions.ts';

export interface Move {
  scan: LocatedScan;
  /** Null if the asset had never been seen. */
  from: number | null;
}

/** In order of arrival. */
export interface WithMoves {
  moves: readonly Move[];
}

/**
 * Finds the moves among an asset's new scans, each judged as if it had arrived alone: it moves the asset if it is later
 * than all before it and at another location. Late scans move nothing.
 *
 * @param last the scan that decided the asset's earlier location.
 */
export function movesInTurn(
  { scans, fresh }: Pick<Touched, 'scans' | 'fresh'>,
  sightings: readonly Sighting[],
  last: Sighting | null,
): readonly Move[] {
  const moves: Move[] = [];
  let now = last;
  for (let index = 0; index < fresh; index++) {
    const seen = sightings[index] as Sighting;
    if (now === null || isLater(seen, now)) {
      if (seen.locationId !== now?.locationId) {
        moves.push({ scan: scans[index] as LocatedScan, from: now?.locationId ?? null });
      }
      now = seen;
    }
  }
  return moves;
}

/** The scan that says where an asset is. Its RSSI matters only against a new one of the same instant. */
export function lastSighting({ stay, lastSeen }: Position): Sighting | null {
  return stay === null || lastSeen === null
    ? null
    : { observedAt: lastSeen, locationId: stay.locationId, rssi: null };
}

/**
 * {@link lastSighting}, with its RSSI if a new scan has the same instant.
 *
 * @param spans around the changed scans.
 */
export function lastSightingAmong(spans: readonly Span[], touched: Touched): Sighting | null {
  const { position, scans, fresh } = touched;
  const last = lastSighting(position);
  const span = spans.find(({ from }) => from === last?.observedAt);
  if (last === null || span === undefined) {
    return last;
  }
  const seenThen = ({ observedAt }: Sighting) => observedAt === last.observedAt;
  // Equal sightings are counted off, as an instant may have thousands (10,000 twice: 16 ms, and 560 when each was
  // searched for). Which of equal ones is new does not matter.
  const added = new Map<string, number>();
  for (const sighting of scans.slice(0, fresh).map(toSighting).filter(seenThen)) {
    const key = likeness(sighting);
    added.set(key, (added.get(key) ?? 0) + 1);
  }
  const before = span.sightings.filter(seenThen).filter((sighting) => {
    const key = likeness(sighting);
    const left = added.get(key) ?? 0;
    added.set(key, left - 1);
    return left <= 0;
  });
  return onePerInstant(before)[0] ?? last;
}

function likeness({ locationId, rssi }: Sighting): string {
  return `${locationId} ${rssi}`;
}

/**
 * {@link movesInTurn} where some scans may state nothing, or another location than their own:
 *
 * 1. New scans later than all stored ones are judged in turn, if they state something or a person made them.
 * 2. If late scans move the asset, as that of a handheld does which arrives after a read in doubt, the move is that of
 *    the latest of them at the location where the asset then is.
 * 3. If late scans only deprive others of their proof, so that the asset is elsewhere, no scan moved it.
 *
 * @param revised the transitions after the change, the last included.
 */
export function movesWhereStated(touched: Touched, revised: readonly DecidedTransition[]): readonly Move[] {
  const last = lastSighting(touched.position);
  const lastSeen = touched.position.lastSeen ?? Number.NEGATIVE_INFINITY;
  const locationThen = locationAt(revised, lastSeen);
  const fresh = touched.scans.slice(0, touched.fresh);
  const late =
    locationThen === (last?.locationId ?? null)
      ? undefined
      : latestOf(fresh.filter((scan) => scan.observedAt <= lastSeen && scan.locationId === locationThen));
  const moving: LocatedScan[] = [];
  const sightings: Sighting[] = [];
  for (const scan of fresh) {
    const sighting = toSighting(scan);
    const stated = locationAt(revised, scan.observedAt);
    if (scan === late) {
      // It takes the instant of the newest stored scan and wins it, so that it can move the asset.
      moving.push(scan);
      sightings.push({ ...sighting, observedAt: lastSeen, rssi: Number.POSITIVE_INFINITY });
    } else if (scan.observedAt > lastSeen && (isByPerson(scan) || stated === scan.locationId)) {
      moving.push(scan);
      sightings.push(sighting);
    } else if (scan.observedAt > lastSeen && stated !== null && decides(scan, revised)) {
      moving.push(scan);
      sightings.push({ ...sighting, locationId: stated });
    }
  }
  return movesInTurn({ scans: moving, fresh: moving.length }, sightings, last);
}

/** Whether the scan decided a transition, perhaps to another location than its own. */
function decides({ observedAt, ...scan }: LocatedScan, revised: readonly DecidedTransition[]): boolean {
  const { source } = scan.scan;
  return revised.some(
    (transition) =>
      transition.observedAt === observedAt &&
      transition.decidedBy?.source.kind === 'reader' &&
      source.kind === 'reader' &&
      transition.decidedBy.source.readerId === source.readerId &&
      transition.decidedBy.source.antenna === source.antenna &&
      transition.decidedBy.tagValue === scan.tagValue,
  );
}

function isByPerson({ scan }: LocatedScan): boolean {
  return scan.source.kind === 'handheld';
}

function latestOf(scans: readonly LocatedScan[]): LocatedScan | undefined {
  return scans.reduce<LocatedScan | undefined>(
    (last, scan) => (last === undefined || isLater(toSighting(scan), toSighting(last)) ? scan : last),
    undefined,
  );
}
