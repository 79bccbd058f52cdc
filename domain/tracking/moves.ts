import { isLater, locationAt, onePerInstant, type Sighting, type Transition } from './history/history.ts';
import type { Span } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import type { Position } from './positions.ts';
import type { Touched } from './touched.ts';

export interface Move {
  scan: LocatedScan;
  /** Null if the asset had never been seen. */
  from: number | null;
}

/** In the order in which the scans came. */
export interface WithMoves {
  moves: readonly Move[];
}

/**
 * Finds the moves among an asset's new scans, each judged as if it had come alone: it moves the asset if it is later
 * than all before it and at another location. Late scans move nothing.
 *
 * @param last the scan that said where the asset was before.
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

/** {@link lastSighting}, with its RSSI if a new scan is of the same instant. @param spans around the changed scans. */
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
 * {@link movesInTurn} with smoothing on, where some scans may not count:
 *
 * 1. New scans later than all stored ones are judged in turn, if they count or a person made them.
 * 2. If late scans move the asset, as that of a handheld does which arrives after a read in doubt, the move is that of
 *    the latest of them at the location where the asset then is.
 * 3. If late scans only deprive others of their proof, so that the asset is elsewhere, no scan moved it.
 *
 * @param revised the transitions after the change, the last included.
 */
export function movesWhereSmoothed(touched: Touched, revised: readonly Transition[]): readonly Move[] {
  const last = lastSighting(touched.position);
  const lastSeen = touched.position.lastSeen ?? Number.NEGATIVE_INFINITY;
  const locationThen = locationAt(revised, lastSeen);
  const fresh = touched.scans.slice(0, touched.fresh);
  const late =
    locationThen === last?.locationId
      ? undefined
      : latestOf(fresh.filter((scan) => scan.observedAt <= lastSeen && scan.locationId === locationThen));
  const scans = fresh.filter(
    (scan) =>
      scan === late ||
      (scan.observedAt > lastSeen &&
        (isByPerson(scan) || locationAt(revised, scan.observedAt) === scan.locationId)),
  );
  // The late scan takes the instant of the newest stored one and wins it, so that it can move the asset.
  const sightings = scans.map((scan) =>
    scan === late
      ? { ...toSighting(scan), observedAt: lastSeen, rssi: Number.POSITIVE_INFINITY }
      : toSighting(scan),
  );
  return movesInTurn({ scans, fresh: scans.length }, sightings, last);
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
