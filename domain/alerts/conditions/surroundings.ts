import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { CoveredClock } from '../../presence/coverage/covered-clock.ts';
import { type CoveredBy, coveredTimes, type PlaceEvidence } from '../../presence/coverage/covered-times.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import { continuousPeriods } from '../../presence/coverage/watches.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';
import { type Hours, periods } from '../rules/hours.ts';
import type { Stay } from './evidence.ts';

/** Facts that assets looked at together share. */
export interface SharedEvidence {
  /** The window. All evidence from before its end counts. */
  window: Interval;
  /** From here on coverage is known. */
  coveredFrom: Micros;
  /** By location, when others belonged to its subtree: sorted and disjoint. */
  subtrees: ReadonlyMap<number, ReadonlyMap<number, readonly Interval[]>>;
  places: ReadonlyMap<number, PlaceEvidence>;
}

/** Times, and the clock that runs in them. */
export interface Clocked {
  times: readonly Interval[];
  clock: CoveredClock;
}

/** Facts about a location at the end of the window. */
export interface Heard {
  /** Up to when messages prove that it was covered. */
  provenUntil: Micros;
  /** Up to when messages that are still to come may prove that. */
  provableUntil: Micros;
  /** Since when somebody is taken to listen there; null if nobody is. */
  listenedSince: Micros | null;
}

/** Working hours repeat every week; a day more, in case clocks are set meanwhile. */
const HOURS_AHEAD: Micros = 8 * MICROS_PER_DAY;

const EVER: Interval = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** One per value, because they are asked for with each asset. */
const keys = new WeakMap<Hours, string>();

function keyOf(hours: Hours): string {
  const key = keys.get(hours) ?? JSON.stringify(hours);
  keys.set(hours, key);
  return key;
}

/** Answers about shared evidence, each derived once for all assets. */
export class Surroundings {
  readonly window: Interval;
  readonly #shared: SharedEvidence;
  readonly #assumed: Interval | null;
  readonly #covered = new Map<number, CoveredClock>();
  readonly #watched = new Map<number, readonly Interval[]>();
  readonly #heard = new Map<number, Heard>();
  readonly #open = new Map<string, Clocked>();
  #ahead: Surroundings | null = null;

  /** @param assumed times in which locations count as covered if their antennas can cover them. */
  constructor(shared: SharedEvidence, assumed: Interval | null = null) {
    this.#shared = shared;
    this.#assumed = assumed;
    this.window = shared.window;
  }

  /** The window and the time after it, assuming that nobody moves and everybody listens. */
  get ahead(): Surroundings {
    const until = Number.POSITIVE_INFINITY;
    this.#ahead ??= new Surroundings(
      { ...this.#shared, window: { since: this.window.since, until } },
      { since: this.window.until, until },
    );
    return this.#ahead;
  }

  /** When something was in a subtree, by its stays and the tree at that time: sorted and disjoint. */
  inSubtree(locationId: number, stays: readonly Stay[]): Interval[] {
    const subtree = this.#shared.subtrees.get(locationId);
    return subtree === undefined
      ? []
      : joined(stays.flatMap((stay) => within([stay], subtree.get(stay.locationId) ?? [])));
  }

  /** When a location was watched continuously: sorted and disjoint. */
  watched(locationId: number): readonly Interval[] {
    const watches = this.#shared.places.get(locationId)?.watches ?? [];
    const known = this.#watched.get(locationId) ?? joined(continuousPeriods(watches, EVER));
    this.#watched.set(locationId, known);
    return known;
  }

  covered(locationId: number): CoveredClock {
    const known = this.#covered.get(locationId) ?? new CoveredClock(this.#coveredTimes(locationId));
    this.#covered.set(locationId, known);
    return known;
  }

  heard(locationId: number): Heard {
    const known = this.#heard.get(locationId) ?? this.#heardAt(locationId);
    this.#heard.set(locationId, known);
    return known;
  }

  /** The working hours, as far before and after the window as anything is derived. */
  open(hours: Hours): Clocked {
    const key = keyOf(hours);
    const known = this.#open.get(key) ?? this.#hours(hours);
    this.#open.set(key, known);
    return known;
  }

  /** Up to when hours are foreseen. */
  get foreseen(): Micros {
    return Math.min(this.window.until, (this.#assumed ?? this.window).since + HOURS_AHEAD);
  }

  #heardAt(locationId: number): Heard {
    const place = this.#shared.places.get(locationId);
    const looked = { since: this.#shared.coveredFrom, until: this.window.until };
    const last = (by: CoveredBy) =>
      place === undefined ? undefined : coveredTimes(place, looked, by).at(-1);
    const taken = last('taken');
    const isListening = taken?.until === looked.until;
    // The time of a reader that is behind passes as fast as any.
    const goesOn = isListening || last('goesOn')?.until === looked.until;
    return {
      provenUntil: last('proven')?.until ?? Number.NEGATIVE_INFINITY,
      provableUntil: last('provable')?.until ?? Number.NEGATIVE_INFINITY,
      listenedSince: isListening ? taken.since : goesOn ? looked.until : null,
    };
  }

  #hours(hours: Hours): Clocked {
    const until = Number.isFinite(this.window.until) ? this.window.until : this.foreseen;
    const times = periods(hours, { since: this.window.since - LOOKS_BACK, until });
    return { times, clock: new CoveredClock(times) };
  }

  #coveredTimes(locationId: number): readonly Interval[] {
    const place = this.#shared.places.get(locationId);
    if (place === undefined) {
      return [];
    }
    const looked = { since: this.#shared.coveredFrom, until: this.window.until };
    if (this.#assumed === null) {
      return coveredTimes(place, looked);
    }
    const { since: now } = this.#assumed;
    const known = { ...looked, until: now };
    const assumed = place.antennas.some(({ until }) => until > now)
      ? continuousPeriods(place.watches, this.#assumed)
      : [];
    return joined([...coveredTimes(place, known, 'provable'), ...assumed]);
  }
}
