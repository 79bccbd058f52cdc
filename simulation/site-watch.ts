import { append } from '../base/append.ts';
import type { Micros } from '../base/instant.ts';
import type { SimulatedAsset } from './population.ts';
import type { Random } from './random.ts';
import type { Rereads } from './rereads.ts';
import type { SiteLocation } from './site.ts';
import type { SiteLife } from './site-life.ts';

export interface Sighting {
  asset: SimulatedAsset;
  location: SiteLocation;
  at: Micros;
  /** dBm. */
  rssi: number;
}

export interface WatchOptions {
  /** A location whose antenna sees a bit of this one, if any. */
  beside(location: SiteLocation): SiteLocation | null;
  random: Random;
  /** Null where nothing is sure to be read again. */
  rereads?: Rereads | null;
}

/** A site's antennas see arrivals, and the assets that stay again and again. */
export class SiteWatch {
  readonly #life: SiteLife;
  readonly #options: WatchOptions;
  /** Arrivals not read yet: more came at once than could be read. */
  #unread: SimulatedAsset[] = [];

  constructor(life: SiteLife, options: WatchOptions) {
    this.#life = life;
    this.#options = options;
  }

  /**
   * Sightings between `from` and `until`, in order of time: `most` of them, unless nobody is there; more if more must be
   * seen again.
   */
  watch(from: Micros, until: Micros, most: number): Sighting[] {
    const { random, rereads = null } = this.#options;
    const arrived = this.#life.advance(until);
    append(this.#unread, arrived);
    for (const asset of rereads === null ? [] : arrived) {
      rereads?.came(asset, until);
    }
    const sightings = [...this.#unread.splice(0, most), ...(rereads?.due(until) ?? [])].flatMap((asset) =>
      this.#see(asset, from, until),
    );
    const { present } = this.#life;
    while (sightings.length < most && present.size > 0) {
      append(sightings, this.#see(present.pick(random), from, until));
    }
    return sightings.sort((a, b) => a.at - b.at);
  }

  #see(asset: SimulatedAsset, from: Micros, until: Micros): Sighting[] {
    const state = this.#life.stateOf(asset);
    if (state?.kind !== 'staying') {
      return [];
    }
    const { random, beside } = this.#options;
    const earliest = Math.max(from, state.since);
    const at = Math.floor(earliest + random.fraction() * (until - earliest));
    const other = beside(state.location);
    return other !== null && random.chance(0.15)
      ? [{ asset, location: other, at, rssi: random.integer(-78, -62) }]
      : [{ asset, location: state.location, at, rssi: random.integer(-70, -41) }];
  }
}
