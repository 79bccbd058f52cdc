import type { Micros } from '../base/instant.ts';
import { EventQueue } from './event-queue.ts';
import type { SimulatedAsset } from './population.ts';
import { isPortal } from './site.ts';
import type { SiteLife, State } from './site-life.ts';

/** Readers that see what stays at a location again and again, however little else they have to read. */
export class Rereads {
  readonly #life: SiteLife;
  readonly #every: Micros;
  readonly #due = new EventQueue<{ asset: SimulatedAsset; state: State }>();

  /** @param every between two reads of an asset, at most. */
  constructor(life: SiteLife, every: Micros, from: Micros) {
    this.#life = life;
    this.#every = every;
    for (const asset of life.present) {
      this.came(asset, from);
    }
  }

  came(asset: SimulatedAsset, at: Micros): void {
    const state = this.#life.stateOf(asset);
    if (state?.kind === 'staying' && !isPortal(state.location)) {
      this.#due.add(at, { asset, state });
    }
  }

  /** It is read by then if it is still there. */
  due(until: Micros): SimulatedAsset[] {
    const assets: SimulatedAsset[] = [];
    for (let event = this.#due.next(until); event !== null; event = this.#due.next(until)) {
      const { asset, state } = event.subject;
      if (this.#life.stateOf(asset) === state) {
        assets.push(asset);
        this.#due.add(until + this.#every, { asset, state });
      }
    }
    return assets;
  }
}
