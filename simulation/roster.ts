import type { SimulatedAsset } from './population.ts';
import type { Random } from './random.ts';

/** The present assets: adding, removing and picking one take constant time. */
export class Roster {
  readonly #members: SimulatedAsset[] = [];
  readonly #places = new Map<SimulatedAsset, number>();

  get size(): number {
    return this.#members.length;
  }

  add(asset: SimulatedAsset): void {
    this.#places.set(asset, this.#members.push(asset) - 1);
  }

  remove(asset: SimulatedAsset): void {
    const index = this.#places.get(asset);
    const last = this.#members.pop();
    if (index === undefined || last === undefined) {
      throw new RangeError(`${asset.key} is not there`);
    }
    this.#places.delete(asset);
    if (last !== asset) {
      this.#members[index] = last;
      this.#places.set(last, index);
    }
  }

  pick(random: Random): SimulatedAsset {
    return random.pick(this.#members);
  }
}
