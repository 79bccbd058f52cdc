import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';
import { CoveredClock } from './covered-clock.ts';
import { coveredTimes, type PlaceEvidence } from './covered-times.ts';
import { type DatedLimits, limitsAt, type STATES } from './limits.ts';
import { type DatedWatch, UNWATCHED } from './watches.ts';

export interface Presence {
  state: (typeof STATES)[number];
  /** Null where that is not known. */
  since: Micros | null;
  /** Covered time since its last read; null without coverage. */
  unseen: Micros | null;
  because: { readerId: number; since: Micros | null } | { sweepId: string } | { ruleId: string } | null;
}

/** Facts about an asset at the location where it was seen last. */
export interface AssetEvidence {
  lastSeen: Micros;
  /** False if it may have been seen later: scans of that time are no longer kept. */
  isLastKnown: boolean;
  /** The first later sweep that expected it there and did not find it. */
  missedBy: { sweepId: string; endedAt: Micros } | null;
  /** Limits by rules, in order; they take precedence over the location's gap. */
  limits: readonly DatedLimits[];
}

/** The state of an asset at a location, as of `from`. */
interface Settings {
  watch: DatedWatch;
  limits: DatedLimits;
  from: Micros;
}

/**
 * The most settings of a location, or of rules, to look back through for the beginning of a state: over two months of
 * learned ones.
 */
export const MOST_SETTINGS = 300;

export const NEVER_SEEN: Presence = { state: 'never_seen', since: null, unseen: null, because: null };

/**
 * The state of assets at a location, by evidence alone:
 *
 * 1. `missing`: a sweep expected it and did not find it, and it was not read since the sweep began.
 * 2. `present` at a portal, where every passing asset was read last.
 * 3. `overdue`: unread for as much covered time as a rule allows, or the location where no rule does. It stays so while
 *    nobody listens. Beyond the second threshold of a rule it is `missing`.
 * 4. `present`: less covered time has passed; or so little time that it would be present even if all of it were
 *    covered.
 * 5. `unknown`: nobody is taken to listen.
 *
 * A reader is taken to listen after its last message for as long as it may be silent, but covered time stops with that
 * message, so an asset that only a dead reader could have seen is never overdue:
 *
 *     covered   ------------              -----------------
 *     read        x
 *     max gap 15  |present       |unknown |present   |overdue
 *
 * A state begins at the earliest instant since which it has not changed; a new read begins it again. If there are more
 * than {@link MOST_SETTINGS} settings in between, it begins with the first of these.
 */
export class PlacePresence {
  readonly #evidence: PlaceEvidence;
  /** The time that counts towards being missed. */
  readonly #clock: CoveredClock;
  /** Whether anybody is taken to listen. */
  readonly #listening: CoveredClock;

  /** @param window must end after every instant asked about. */
  constructor(evidence: PlaceEvidence, window: Interval) {
    this.#evidence = evidence;
    this.#clock = new CoveredClock(coveredTimes(evidence, window));
    this.#listening = new CoveredClock(coveredTimes(evidence, window, 'taken'));
  }

  stateOf(asset: AssetEvidence, at: Micros): Presence {
    let settings = this.#settingsAt(asset, at);
    if (asset.missedBy !== null) {
      const { sweepId, endedAt } = asset.missedBy;
      const unseen = this.#unseen(settings.watch, asset, at);
      const before = this.stateOf({ ...asset, missedBy: null }, endedAt - 1);
      const since = before.state === 'missing' ? before.since : endedAt;
      return { state: 'missing', since, unseen, because: { sweepId } };
    }
    const own = this.#by(settings, asset, at);
    let { since } = own;
    for (
      let looked = 1;
      since !== null && since <= settings.from && asset.lastSeen < settings.from;
      looked += 1
    ) {
      const { from } = settings;
      settings = this.#settingsAt(asset, from - 1);
      const before = this.#by(settings, asset, from - 1);
      since = before.state === own.state && looked < MOST_SETTINGS ? before.since : from;
    }
    return { ...own, since };
  }

  #settingsAt(asset: AssetEvidence, at: Micros): Settings {
    const { watches } = this.#evidence;
    const next = firstIndex(0, watches.length, (index) => (watches[index] as DatedWatch).from > at);
    const watch = watches[next - 1] ?? UNWATCHED;
    const limits = limitsAt(asset.limits, at);
    return { watch, limits, from: Math.max(watch.from, limits.from) };
  }

  #by({ watch, limits }: Settings, asset: AssetEvidence, at: Micros): Presence {
    const { lastSeen, isLastKnown } = asset;
    const unseen = this.#unseen(watch, asset, at);
    if (watch.mode === 'portal') {
      return { state: 'present', since: lastSeen, unseen, because: null };
    }
    if (!isLastKnown) {
      return { state: 'unknown', since: null, unseen, because: null };
    }
    const gap = limits.overdue?.after ?? watch.maxGap;
    const passed = [
      { state: 'missing', after: limits.missing?.after ?? null, ruleId: limits.missing?.ruleId },
      { state: 'overdue', after: gap, ruleId: limits.overdue?.ruleId },
    ] as const;
    for (const { state, after, ruleId } of passed) {
      if (after !== null && this.#clock.elapsed(lastSeen, at) >= after) {
        const since = this.#clock.reached(lastSeen, after);
        return { state, since, unseen, because: ruleId === undefined ? null : { ruleId } };
      }
    }
    const certainUntil = lastSeen + (gap ?? 0);
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

  /** The reader that stops covered time: the first that stopped if all must listen, the last if any suffices. */
  #deaf({ coverage }: DatedWatch, at: Micros): Presence['because'] {
    const { antennas, listening } = this.#evidence;
    const enabled = antennas.filter(({ since, until }) => since <= at && at < until);
    const stopped = [...new Set(enabled.map(({ readerId }) => readerId))]
      .map((readerId) => {
        const last = listening.get(readerId)?.taken.findLast(({ since }) => since <= at);
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
