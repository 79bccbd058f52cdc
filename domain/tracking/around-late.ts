import { append } from '../../base/append.ts';
import type { Micros } from '../../base/instant.ts';
import type { DecidedTransition, Stay } from './history/history.ts';
import type { Neighbourhood, Span } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import type { Near, StoredScan } from './near-scans.ts';
import { isNewest, type Position, type Touched } from './positions.ts';

/**
 * The neighbourhood of an asset's new scans by what was stored around the late ones before they were written, where every
 * scan states where it is:
 *
 * 0. Late scans of an asset that are all at the locations of their stays, after their beginnings, change nothing.
 * 1. Scans with no stored one in between make a gap, with the stay that it falls into and the stored scan that ends it.
 * 2. A gap with scans at the location of that stay only changes nothing.
 * 3. Any other is a span, with the transitions at its end and after it. Of all others that are needed only time and
 *    location are, which are those of the stays.
 *
 *     stored scans       A      A              B      B
 *     new                   A        C   C         B
 *     gaps                  [--]     [---------]   [--]      the first and the last change nothing
 *     transitions        A                     B
 *
 * @returns null if that does not suffice: where scans were strengthened or taken back, several were made at one instant, or
 *   transitions are kept of scans that are not.
 */
export function aroundLate(
  { position, scans, fresh }: Touched,
  near: ReadonlyMap<LocatedScan, Near>,
): Neighbourhood | null {
  if (position.stay === null || fresh < scans.length) {
    return null;
  }
  if (scans.every((scan) => isWithinStay(scan, position, near))) {
    return NOTHING_CHANGES;
  }
  const spans: Span[] = [];
  const stays: Stay[] = [position.stay];
  const loaded: DecidedTransition[] = [];
  let gap: Gap | null = null;
  const close = ({ before, end, news, transitions }: Gap) => {
    if (news.some(({ locationId }) => locationId !== before?.locationId)) {
      spans.push(toSpan(news, end));
      append(loaded, transitions);
      if (before !== null) {
        stays.push(before);
      }
    }
  };
  for (const scan of inTime(scans)) {
    if (near.get(scan)?.isAsKnown === true) {
      continue;
    }
    const found = foundAround(scan, position, near);
    if (found === null) {
      return null;
    }
    if (gap !== null && gap.end?.observedAt === found.end?.observedAt) {
      gap.news.push(scan);
      append(gap.transitions, found.transitions);
    } else {
      if (gap !== null) {
        close(gap);
      }
      gap = { ...found, news: [scan], transitions: [...found.transitions] };
    }
  }
  if (gap !== null) {
    close(gap);
  }
  return spans.length === 0 ? NOTHING_CHANGES : { spans, stored: ascending(stays, loaded) };
}

/** For scans that are all at the locations of their stays. */
export const NOTHING_CHANGES: Neighbourhood = { spans: [], stored: [] };

function isWithinStay(scan: LocatedScan, position: Position, near: ReadonlyMap<LocatedScan, Near>): boolean {
  if (isNewest(position, scan.observedAt)) {
    return scan.locationId === position.stay?.locationId;
  }
  return near.get(scan)?.isAsKnown === true;
}

interface Found {
  before: Stay | null;
  /** The next stored scan; null if there is none. */
  end: StoredScan | null;
  transitions: readonly DecidedTransition[];
}

interface Gap extends Found {
  news: LocatedScan[];
  transitions: DecidedTransition[];
}

function foundAround(
  scan: LocatedScan,
  position: Position,
  near: ReadonlyMap<LocatedScan, Near>,
): Found | null {
  if (isNewest(position, scan.observedAt)) {
    return { before: position.stay, end: null, transitions: [] };
  }
  const found = near.get(scan);
  const [end, next] = found?.scans ?? [];
  if (found === undefined || end === undefined || end.isRetracted) {
    return null;
  }
  const { observedAt } = scan;
  const isAlone = observedAt < end.observedAt && end.observedAt !== next?.observedAt;
  // A transition may have outlived its scan.
  const isTransition = found.before?.since === observedAt;
  const isAfterSeen = (found.transitions[1]?.observedAt ?? Number.POSITIVE_INFINITY) > end.observedAt;
  return isAlone && !isTransition && isAfterSeen ? { ...found, end } : null;
}

function inTime(scans: readonly LocatedScan[]): readonly LocatedScan[] {
  return scans.length === 1 ? scans : scans.toSorted((a, b) => a.observedAt - b.observedAt);
}

function toSpan(news: readonly LocatedScan[], end: StoredScan | null): Span {
  const sightings = news.map(toSighting);
  const [from, last] = [sightings[0]?.observedAt ?? 0, sightings.at(-1)?.observedAt ?? 0];
  return end === null
    ? { from, to: last, sightings }
    : { from, to: end.observedAt, sightings: [...sightings, end] };
}

/** Loaded stays take precedence over merely known ones, of which nothing is written. */
function ascending(stays: readonly Stay[], loaded: readonly DecidedTransition[]): DecidedTransition[] {
  const byTime = new Map<Micros, DecidedTransition>();
  for (const { since: observedAt, locationId } of stays) {
    byTime.set(observedAt, { observedAt, locationId, durationSeconds: null, decidedBy: null });
  }
  for (const transition of loaded) {
    byTime.set(transition.observedAt, transition);
  }
  return [...byTime.values()].sort((a, b) => a.observedAt - b.observedAt);
}
