import { greatestOf } from '../../../base/extremes.ts';
import { firstIndex } from '../../../base/first-index.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';

/** How a scan at a location can prove itself. At least one of `minimum` and `margin` is set. */
export interface Smoothing {
  /** Time before and after a scan that is considered; at most {@link MAX_WINDOW}. */
  window: Micros;
  /** How long the asset must be seen there and nowhere else; at most `window`. Null: time proves nothing. */
  minimum: Micros | null;
  /** By how many dB it must be stronger than elsewhere. Null: strength proves nothing. */
  margin: number | null;
}

/** A setting as it was made: it holds for scans observed from `validFrom` on, until the next for the same location. */
export interface DatedSmoothing {
  /** Null for all of the organization's locations that have no setting of their own. */
  locationId: number | null;
  validFrom: Micros;
  /** `inherit`: the location's own setting ends. */
  smoothing: Smoothing | 'off' | 'inherit';
}

/** Upper bound on `window`: the cost of a scan grows with it. */
export const MAX_WINDOW: Micros = 600 * MICROS_PER_SECOND;

/** Upper bound on the settings that an organization makes, those of all its locations and dates together. */
export const MOST_SETTINGS = 5_000;

export class SmoothingSettings {
  readonly dated: readonly DatedSmoothing[];
  /** By location, oldest first. */
  readonly #of: ReadonlyMap<number | null, readonly DatedSmoothing[]>;
  #widest: WidestWindows | null = null;

  /** @param dated in the order in which they were made: of equal `validFrom` the last holds. */
  constructor(dated: readonly DatedSmoothing[]) {
    this.dated = dated;
    this.#of = Map.groupBy(
      dated.toSorted((a, b) => (a.validFrom < b.validFrom ? -1 : Number(a.validFrom > b.validFrom))),
      ({ locationId }) => locationId,
    );
  }

  /** What a scan observed then at the location must prove; null for nothing. */
  at(locationId: number, observedAt: Micros): Smoothing | null {
    const own = this.#settingAt(locationId, observedAt) ?? 'inherit';
    const held = own === 'inherit' ? (this.#settingAt(null, observedAt) ?? 'off') : own;
    return held === 'off' || held === 'inherit' ? null : held;
  }

  /** The widest window of any scan that a scan from `from` to `to` can affect; 0 if no location is smoothed. */
  reach(from: Micros, to: Micros): Micros {
    this.#widest ??= new WidestWindows(this.#of);
    return this.#widest.within(from - MAX_WINDOW, to + MAX_WINDOW);
  }

  #settingAt(locationId: number | null, observedAt: Micros): DatedSmoothing['smoothing'] | undefined {
    const dated = this.#of.get(locationId) ?? [];
    const later = firstIndex(0, dated.length, (index) => (dated[index]?.validFrom ?? 0) > observedAt);
    return dated[later - 1]?.smoothing;
  }
}

/** Finds the widest window in force within a period in a logarithm of the number of settings. */
class WidestWindows {
  /** When settings change, ascending. */
  readonly #from: Micros[] = [];
  /** At index `level`: the widest from each change until `2 ** level` changes later. */
  readonly #levels: Micros[][];

  constructor(of: ReadonlyMap<number | null, readonly DatedSmoothing[]>) {
    const changes = [...of.values()].flatMap((dated) =>
      dated.map(({ validFrom, smoothing }, index) => ({
        validFrom,
        before: windowOf(dated[index - 1]?.smoothing),
        after: windowOf(smoothing),
      })),
    );
    changes.sort((a, b) => (a.validFrom < b.validFrom ? -1 : Number(a.validFrom > b.validFrom)));
    const widest: Micros[] = [];
    // At how many locations each window is in force.
    const inForce = new Map<Micros, number>();
    let now: Micros = 0;
    for (const [index, { validFrom, before, after }] of changes.entries()) {
      inForce.set(after, (inForce.get(after) ?? 0) + 1);
      const left = (inForce.get(before) ?? 0) - 1;
      if (left > 0) {
        inForce.set(before, left);
      } else {
        inForce.delete(before);
      }
      now = Math.max(left > 0 || before < now ? now : greatestOf([0, ...inForce.keys()]), after);
      if (validFrom !== changes[index + 1]?.validFrom) {
        this.#from.push(validFrom);
        widest.push(now);
      }
    }
    this.#levels = [widest];
    for (let half = 1; 2 * half <= widest.length; half *= 2) {
      const last = this.#levels.at(-1) ?? [];
      this.#levels.push(
        last
          .slice(0, widest.length - 2 * half + 1)
          .map((each, index) => Math.max(each, last[index + half] ?? 0)),
      );
    }
  }

  within(from: Micros, to: Micros): Micros {
    const changes = this.#from;
    const after = (instant: Micros) =>
      firstIndex(0, changes.length, (index) => (changes[index] ?? 0) > instant);
    const [first, end] = [Math.max(0, after(from) - 1), after(to)];
    if (first >= end) {
      return 0;
    }
    const level = Math.floor(Math.log2(end - first));
    const widest = this.#levels[level] ?? [];
    return Math.max(widest[first] ?? 0, widest[end - 2 ** level] ?? 0);
  }
}

function windowOf(smoothing: DatedSmoothing['smoothing'] | undefined): Micros {
  return typeof smoothing === 'object' ? smoothing.window : 0;
}
