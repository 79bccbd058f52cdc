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
  /** `inherit`: the location has no setting of its own any more. */
  smoothing: Smoothing | 'off' | 'inherit';
}

/** Upper bound on `window`: the cost of a scan grows with it. */
export const MAX_WINDOW: Micros = 600 * MICROS_PER_SECOND;

export class SmoothingSettings {
  readonly dated: readonly DatedSmoothing[];
  /** By location, newest first. */
  readonly #of: ReadonlyMap<number | null, readonly DatedSmoothing[]>;

  /** @param dated in the order in which they were made: of equal `validFrom` the last holds. */
  constructor(dated: readonly DatedSmoothing[]) {
    this.dated = dated;
    const newestFirst = dated.toReversed().toSorted((a, b) => b.validFrom - a.validFrom);
    this.#of = Map.groupBy(newestFirst, ({ locationId }) => locationId);
  }

  /** What a scan observed then at the location must prove; null for nothing. */
  at(locationId: number, observedAt: Micros): Smoothing | null {
    const own = this.#settingAt(locationId, observedAt) ?? 'inherit';
    const held = own === 'inherit' ? (this.#settingAt(null, observedAt) ?? 'off') : own;
    return held === 'off' || held === 'inherit' ? null : held;
  }

  /** The widest window of any scan that a scan from `from` to `to` can affect; 0 if no location is smoothed. */
  reach(from: Micros, to: Micros): Micros {
    let widest = 0;
    for (const dated of this.#of.values()) {
      let until = Number.POSITIVE_INFINITY;
      for (const { validFrom, smoothing } of dated) {
        if (typeof smoothing === 'object' && validFrom <= to + MAX_WINDOW && until > from - MAX_WINDOW) {
          widest = Math.max(widest, smoothing.window);
        }
        until = validFrom;
      }
    }
    return widest;
  }

  #settingAt(locationId: number | null, observedAt: Micros): DatedSmoothing['smoothing'] | undefined {
    return this.#of.get(locationId)?.find(({ validFrom }) => validFrom <= observedAt)?.smoothing;
  }
}
