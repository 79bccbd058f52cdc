import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';

/** How a scan at a place has to prove itself. One of `minimum` and `margin` at least is given. */
export interface Smoothing {
  /** How far around a scan one looks; at most {@link MAX_WINDOW}. */
  window: Micros;
  /** How long the asset must be seen there and nowhere else; at most `window`. Null: that proves nothing. */
  minimum: Micros | null;
  /** By how many dB it must be stronger than elsewhere. Null: that proves nothing. */
  margin: number | null;
}

/** A setting as it was made: it holds for scans observed from `validFrom` on, until the next for the same place. */
export interface DatedSmoothing {
  /** Null: for the organization's locations that have no setting of their own. */
  locationId: number | null;
  validFrom: Micros;
  /** `inherit`: the location has none of its own any more. */
  smoothing: Smoothing | 'off' | 'inherit';
}

/** The settings' bound on `window`: what a scan costs grows with it. */
export const MAX_WINDOW: Micros = 600 * MICROS_PER_SECOND;

/** An organization's settings through time. */
export class SmoothingSettings {
  readonly dated: readonly DatedSmoothing[];
  /** By location, newest first. */
  readonly #of: ReadonlyMap<number | null, readonly DatedSmoothing[]>;

  /** @param dated in the order in which they were made; of one time the last holds. */
  constructor(dated: readonly DatedSmoothing[]) {
    this.dated = dated;
    const newestFirst = dated.toReversed().toSorted((a, b) => b.validFrom - a.validFrom);
    this.#of = Map.groupBy(newestFirst, ({ locationId }) => locationId);
  }

  /** What a scan at the location, observed then, has to prove; null if nothing. */
  at(locationId: number, observedAt: Micros): Smoothing | null {
    const own = this.#settingAt(locationId, observedAt) ?? 'inherit';
    const held = own === 'inherit' ? (this.#settingAt(null, observedAt) ?? 'off') : own;
    return held === 'off' || held === 'inherit' ? null : held;
  }

  /** The widest window that holds anywhere for a scan that `from` to `to` bear upon; 0 if none is smoothed. */
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
