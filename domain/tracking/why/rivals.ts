import type { Micros } from '../../../base/instant.ts';
import { compareDeciding } from '../history/deciding-scan.ts';
import { compareRssi } from '../history/history.ts';
import type { Site } from '../location/site.ts';
import type { Seen, Statement } from '../location/stated-locations.ts';

export interface Rival {
  scan: Seen;
  /** How much weaker it was than the deciding scan; null without both strengths. */
  lostByDb: number | null;
  /** At the same instant, if it states something too: how the tie was broken. */
  tieBrokenBy: TieBreak | null;
}

/** The first of these that tells two scans of one instant apart. */
export type TieBreak = 'person' | 'strength' | 'location' | 'source';

/** This many are enough. */
const MOST = 20;

/**
 * The other reads up to the deciding scan: of each other location the strongest, and at the same instant every read.
 * Newest first.
 *
 * @param deciding undefined if unknown.
 * @param scans in order of time.
 * @param stated by the scans of the deciding scan's half second; undefined if they are too many.
 */
export function rivalsOf(
  deciding: Seen | undefined,
  scans: readonly Seen[],
  {
    at,
    locationId,
    stated = [],
    site,
  }: { at: Micros; locationId: number; stated: readonly Statement[] | undefined; site: Site },
): Rival[] {
  const upTo = scans.filter(({ observedAt }) => observedAt <= at);
  const here = deciding?.rssi ?? null;
  const isTied = (scan: Seen) => scan.observedAt === at;
  const elsewhere = Map.groupBy(
    upTo.filter((scan) => scan.locationId !== locationId && !isTied(scan)),
    (scan) => scan.locationId,
  );
  const strongest = [...elsewhere.values()].flatMap((each) => strongestOf(each) ?? []);
  const statementOf = (scan: Seen | undefined) =>
    stated.find((each) => scan !== undefined && isSame(each, scan));
  const winner = statementOf(deciding);
  return [...upTo.filter((scan) => isTied(scan) && scan !== deciding), ...strongest]
    .toSorted((a, b) => b.observedAt - a.observedAt)
    .slice(0, MOST)
    .map((scan) => {
      const loser = isTied(scan) ? statementOf(scan) : undefined;
      return {
        scan,
        lostByDb: here === null || scan.rssi === null ? null : here - scan.rssi,
        tieBrokenBy: winner === undefined || loser === undefined ? null : tieBreak(winner, loser, site),
      };
    });
}

function isSame(one: Seen, other: Seen): boolean {
  return one.observedAt === other.observedAt && compareDeciding(one.scan, other.scan) === 0;
}

/** The last of the strongest. */
function strongestOf(scans: readonly Seen[]): Seen | undefined {
  return scans.toSorted((a, b) => compareRssi(b.rssi, a.rssi) || b.observedAt - a.observedAt)[0];
}

function tieBreak(winner: Statement, loser: Statement, { since }: Site): TieBreak {
  if (winner.observedAt >= since && winner.rule === 'person' && loser.rule !== 'person') {
    return 'person';
  }
  if (compareRssi(winner.rssi, loser.rssi) !== 0) {
    return 'strength';
  }
  return winner.locationId === loser.locationId ? 'source' : 'location';
}
