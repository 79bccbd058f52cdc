import { isLater, locationAt, onePerInstant, type Sighting, type Transition } from './history/history.ts';
import type { Window } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import type { Position } from './positions.ts';
import type { Touched } from './touched.ts';

/** A new scan after which its asset is elsewhere than before it. */
export interface Move {
  scan: LocatedScan;
  /** Null: it had never been seen. */
  from: number | null;
}

/** The moves among an asset's new scans, as they came. */
export interface Told {
  moves: readonly Move[];
}

/**
 * Which of an asset's new scans moved it, each told as if it had come alone. History takes all scans, so the latest of
 * those so far says where the asset is.
 *
 * @param last the scan that said so before.
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

/** The scan that says where an asset is. Only where a new one is of the same instant does its strength matter. */
export function lastSighting({ stay, lastSeen }: Position): Sighting | null {
  return stay === null || lastSeen === null
    ? null
    : { observedAt: lastSeen, locationId: stay.locationId, rssi: null };
}

/** As {@link lastSighting}, with its strength if that matters. @param windows around the changed scans. */
export function lastSightingAmong(windows: readonly Window[], touched: Touched): Sighting | null {
  const { position, scans, fresh } = touched;
  const last = lastSighting(position);
  const window = windows.find(({ from }) => from === last?.observedAt);
  if (last === null || window === undefined) {
    return last;
  }
  const seenThen = ({ observedAt }: Sighting) => observedAt === last.observedAt;
  // Counted, as thousands may be seen at one instant (10,000 twice: 16 ms, and 560 when each was looked for). Of equals it
  // does not matter which is the new one.
  const added = new Map<string, number>();
  for (const sighting of scans.slice(0, fresh).map(toSighting).filter(seenThen)) {
    const name = likeness(sighting);
    added.set(name, (added.get(name) ?? 0) + 1);
  }
  const before = window.sightings.filter(seenThen).filter((sighting) => {
    const name = likeness(sighting);
    const left = added.get(name) ?? 0;
    added.set(name, left - 1);
    return left <= 0;
  });
  return onePerInstant(before)[0] ?? last;
}

function likeness({ locationId, rssi }: Sighting): string {
  return `${locationId} ${rssi}`;
}

/**
 * As {@link movesInTurn}, where some scans may not count. Those that are newer than all before and count are told in turn.
 * Where older ones move the asset, as a person's scan does that comes after a read in doubt, that is told of the latest of
 * those at the location where it then is. None is told where late scans only take from others what proved them, so that the
 * asset is elsewhere for want of proof.
 *
 * @param revised the transitions as they are now, with the last.
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
  // It says where the asset is, in the place of the newest of those before.
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
