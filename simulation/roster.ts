import type { SimulatedAsset } from './population.ts';
import type { Random } from './random.ts';

/** The present assets: adding, removing and picking one take constant time. */
export class Roster {
  readonly #members: SimulatedAsset[] = [];
  readonly #indexes = new Map<SimulatedAsset, number>();

  get size(): number {
    return this.#members.length;
  }

  [Symbol.iterator](): Iterator<SimulatedAsset> {
    return this.#members[Symbol.iterator]();
  }

  add(asset: SimulatedAsset): void {
    this.#indexes.set(asset, this.#members.push(asset) - 1);
  }

  remove(asset: SimulatedAsset): void {
    const index = this.#indexes.get(asset);
    const last = this.#members.pop();
    if (index === undefined || last === undefined) {
      throw new RangeError(`${asset.key} is not there`);
    }
    this.#indexes.delete(asset);
    if (last !== asset) {
      this.#members[index] = last;
      this.#indexes.set(last, index);
    }
  }

  pick(random: Random): SimulatedAsset {
    return random.pick(this.#members);
  }
}
