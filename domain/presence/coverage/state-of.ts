import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';
import { CoveredClock } from './covered-clock.ts';
import { coveredTimes, type PlaceEvidence } from './covered-times.ts';
import { type DatedWatch, UNWATCHED } from './watches.ts';

export const STATES = ['present', 'overdue', 'missing', 'unknown', 'never_seen'] as const;

export interface Presence {
  state: (typeof STATES)[number];
  /** Null where that is not known. */
  since: Micros | null;
  /** Covered time since it was read; null where nothing counts it. */
  unseen: Micros | null;
  because: { readerId: number; since: Micros | null } | { sweepId: string } | null;
}

/** What is known of an asset at the location where it was seen last. */
export interface AssetEvidence {
  lastSeen: Micros;
  /** False where it may have been seen later: scans of then are not kept any more. */
  isLastKnown: boolean;
  /** The first sweep since then that expected it there and did not find it. */
  missedBy: { sweepId: string; endedAt: Micros } | null;
}

/** Settings of a location that are looked back through for the beginning of a state: of more than two months, if learned. */
export const MOST_SETTINGS = 300;

export const NEVER_SEEN: Presence = { state: 'never_seen', since: null, unseen: null, because: null };

/**
 * What can be said of assets at a location, by evidence alone:
 *
 * 1. `missing`: a sweep expected it and did not find it, and it was not read since the sweep began.
 * 2. `present` at a portal: whatever passed was last read there.
 * 3. `overdue`: as much covered time as the location allows has passed since it was read. It stays so while nobody listens.
 * 4. `present`: less has; or it was read so recently that it would be even if the clock had run all the time.
 * 5. `unknown`: nobody is taken to listen.
 *
 * A reader is taken to listen for as long after its last message as it may say nothing, but the clock stops with that
 * message: whatever only a dead reader could have seen is never overdue, however short the gap.
 *
 *     covered   ------------              -----------------
 *     read        x
 *     max gap 15  |present       |unknown |present   |overdue
 *
 * A state begins at the earliest instant from which on it was the same, by what holds at each; reading anew begins anew.
 * Where more settings than {@link MOST_SETTINGS} lie between, it is said to begin with the first of these.
 */
export class PlacePresence {
  readonly #evidence: PlaceEvidence;
  /** What counts towards being missed. */
  readonly #clock: CoveredClock;
  /** Whether anybody is taken to listen. */
  readonly #listening: CoveredClock;

  /** @param window the time to look at, which ends after every instant asked about. */
  constructor(evidence: PlaceEvidence, window: Interval) {
    this.#evidence = evidence;
    this.#clock = new CoveredClock(coveredTimes(evidence, window));
    this.#listening = new CoveredClock(coveredTimes(evidence, window, 'taken'));
  }

  stateOf(asset: AssetEvidence, at: Micros): Presence {
    const { watches } = this.#evidence;
    let which = watches.findLastIndex(({ from }) => from <= at);
    let watch = watches[which] ?? UNWATCHED;
    if (asset.missedBy !== null) {
      const { sweepId, endedAt } = asset.missedBy;
      const unseen = this.#unseen(watch, asset, at);
      return { state: 'missing', since: endedAt, unseen, because: { sweepId } };
    }
    const own = this.#by(watch, asset, at);
    let { since } = own;
    const oldest = which - MOST_SETTINGS;
    while (since !== null && since <= watch.from && asset.lastSeen < watch.from) {
      const { from } = watch;
      which -= 1;
      watch = watches[which] ?? UNWATCHED;
      const before = this.#by(watch, asset, from - 1);
      since = before.state === own.state && which > oldest ? before.since : from;
    }
    return { ...own, since };
  }

  #by(watch: DatedWatch, asset: AssetEvidence, at: Micros): Presence {
    const { lastSeen, isLastKnown } = asset;
    const unseen = this.#unseen(watch, asset, at);
    if (watch.mode === 'portal') {
      return { state: 'present', since: lastSeen, unseen, because: null };
    }
    if (!isLastKnown) {
      return { state: 'unknown', since: null, unseen, because: null };
    }
    const { maxGap } = watch;
    if (maxGap !== null && this.#clock.elapsed(lastSeen, at) >= maxGap) {
      return { state: 'overdue', since: this.#clock.reached(lastSeen, maxGap), unseen, because: null };
    }
    const certainUntil = lastSeen + (maxGap ?? 0);
    const clock = this.#listening.at(at);
    if (clock.runs || at < certainUntil) {
      const since = clock.runs && clock.since > certainUntil ? clock.since : lastSeen;
      return { state: 'present', since, unseen, because: null };
    }
    const since = Math.max(clock.since, certainUntil);
    return { state: 'unknown', since, unseen, because: this.#deaf(watch, at) };
  }

  #unseen({ mode }: DatedWatch, { lastSeen, isLastKnown }: AssetEvidence, at: Micros): Micros | null {
    return isLastKnown && mode === 'continuous' ? this.#clock.elapsed(lastSeen, at) : null;
  }

  /** The reader for which the clock stands: the first that stopped where all must listen, the last where any will do. */
  #deaf({ coverage }: DatedWatch, at: Micros): Presence['because'] {
    const { antennas, listening } = this.#evidence;
    const enabled = antennas.filter(({ since, until }) => since <= at && at < until);
    const stopped = [...new Set(enabled.map(({ readerId }) => readerId))]
      .map((readerId) => {
        const last = listening.get(readerId)?.findLast(({ since }) => since <= at);
        return { readerId, since: last?.until ?? Number.NEGATIVE_INFINITY };
      })
      .filter(({ since }) => since <= at)
      .toSorted((a, b) => Math.sign(a.since - b.since) || a.readerId - b.readerId)
      .at(coverage === 'all' ? 0 : -1);
    return stopped === undefined
      ? null
      : { readerId: stopped.readerId, since: Number.isFinite(stopped.since) ? stopped.since : null };
  }
}
