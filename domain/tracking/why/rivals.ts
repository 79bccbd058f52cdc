import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { compareRssi } from '../history/history.ts';
import type { Seen } from '../smoothing/counting.ts';
import { keptScans } from '../smoothing/kept.ts';
import type { SmoothingSettings } from '../smoothing/settings.ts';

export interface Rival {
  scan: Seen;
  /** By how much it was weaker than the strongest read of the deciding location; null without both strengths. */
  lostByDb: number | null;
  /** Of the same instant: what decided between the two. */
  tieBrokenBy: TieBreak | null;
}

/** The first of these that tells two scans of one instant apart. */
export type TieBreak = 'person' | 'strength' | 'location' | 'source';

/** Where no smoothing says how long a read matters. */
const WINDOW: Micros = 60 * MICROS_PER_SECOND;

/** So many of them say enough. */
const MOST = 20;

/**
 * What else was read in the window up to the deciding scan: of each other location the strongest read, and of the same
 * instant every read. Newest first.
 */
export function rivalsOf(
  { at, locationId }: { at: Micros; locationId: number },
  scans: readonly Seen[],
  settings: SmoothingSettings,
): Rival[] {
  const window = settings.at(locationId, at)?.window ?? WINDOW;
  const upTo = scans.filter(({ observedAt }) => observedAt >= at - window && observedAt <= at);
  const [deciding] = keptScans(
    upTo.filter(({ observedAt }) => observedAt === at),
    settings,
  );
  const here = strongestOf(upTo.filter((scan) => scan.locationId === locationId))?.rssi ?? null;
  const isTied = (scan: Seen) => scan.observedAt === at;
  const elsewhere = Map.groupBy(
    upTo.filter((scan) => scan.locationId !== locationId && !isTied(scan)),
    (scan) => scan.locationId,
  );
  const strongest = [...elsewhere.values()].flatMap((each) => strongestOf(each) ?? []);
  return [...upTo.filter((scan) => isTied(scan) && scan !== deciding), ...strongest]
    .toSorted((a, b) => b.observedAt - a.observedAt)
    .slice(0, MOST)
    .map((scan) => ({
      scan,
      lostByDb: here === null || scan.rssi === null ? null : here - scan.rssi,
      tieBrokenBy: isTied(scan) && deciding !== undefined ? tieBreak(deciding, scan, settings) : null,
    }));
}

/** The last of the strongest. */
function strongestOf(scans: readonly Seen[]): Seen | undefined {
  return scans.toSorted((a, b) => compareRssi(b.rssi, a.rssi) || b.observedAt - a.observedAt)[0];
}

function tieBreak(winner: Seen, loser: Seen, settings: SmoothingSettings): TieBreak {
  const isSmoothed = [winner, loser].some((scan) => settings.at(scan.locationId, scan.observedAt) !== null);
  if (isSmoothed && winner.isByPerson && !loser.isByPerson) {
    return 'person';
  }
  if (compareRssi(winner.rssi, loser.rssi) !== 0) {
    return 'strength';
  }
  return winner.locationId === loser.locationId ? 'source' : 'location';
}
