import type { RoomBounds } from './body-room-bounds.ts';
import type { BodyShares, Sized } from './body-shares.ts';

export interface Arriving extends Sized {
  since: number;
  progressAt: number;
}

export interface WaitingBody extends Sized {
  since: number;
}

/**
 * Waiting requests to consider, smallest shares first: each is compared with all bodies in transfer, some
 * thousands.
 */
const LOOKED_AT = 32;

/**
 * Bodies to evict for waiting ones:
 *
 * 1. stalled ones, for any waiting body;
 * 2. those older than the grace whose sender holds at least as much as the waiting one would. Without this,
 *   two organizations with 24 connections at 1 KB/s each kept out all others' bodies.
 *
 * Stalled ones first, then those of the largest holder, then the oldest.
 */
export function bodiesToEvict<Body extends Arriving>(
  arriving: readonly Body[],
  waiting: readonly WaitingBody[],
  shares: BodyShares,
  { stall, grace }: RoomBounds,
  now: number,
): Body[] {
  const stalls = (body: Body) => now - body.progressAt > stall;
  const left = shares.copy();
  const candidates = new Set(
    arriving
      .filter((body) => stalls(body) || now - body.since > grace)
      .sort(
        (a, b) =>
          Number(stalls(b)) - Number(stalls(a)) ||
          shares.weightOf(b.sender) - shares.weightOf(a.sender) ||
          a.since - b.since,
      ),
  );
  const leastFirst = waiting.toSorted(
    (a, b) => shares.weightOf(a.sender) - shares.weightOf(b.sender) || a.since - b.since,
  );
  const gone: Body[] = [];
  for (const wanting of leastFirst.slice(0, LOOKED_AT)) {
    const hasWaited = now - wanting.since > grace;
    for (const body of candidates) {
      const bound = left.boundFor(wanting);
      if (bound === null) {
        break;
      }
      const isInTheWay = bound === 'total' || body.sender[bound] === wanting.sender[bound];
      if (isInTheWay && (stalls(body) || (hasWaited && left.isOwedBy(body.sender, wanting)))) {
        candidates.delete(body);
        left.count(body.sender, -body.bytes);
        gone.push(body);
      }
    }
    if (left.boundFor(wanting) === null) {
      left.count(wanting.sender, wanting.bytes);
    }
  }
  return gone;
}
