import type { RoomBounds } from './body-bounds.ts';
import type { BodyShares, Sized } from './body-shares.ts';

/** A body that is arriving. */
export interface Arriving extends Sized {
  since: number;
  /** When enough of it to count had come last. */
  progressAt: number;
}

export interface WaitingBody extends Sized {
  since: number;
}

/** How many of those that wait are looked at, of who holds least: each is compared with all that arrive, some thousands. */
const LOOKED_AT = 32;

/**
 * Which bodies have to go for others that wait:
 *
 *   1. what stalls, whoever wants its room;
 *   2. what has been arriving for longer than the grace, if its sender holds at least as much as the one that waits would.
 *      Two organizations of 24 connections with 1 KB/s each kept out the bodies of all others without this.
 *
 * First what stalls, then of who has most, then what began first.
 */
export function givingWay<Body extends Arriving>(
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
