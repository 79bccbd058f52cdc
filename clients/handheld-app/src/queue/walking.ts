import { signal } from '@preact/signals';
import { type Place, placeOf } from '../gateway/place.ts';
import type { LocationTree } from '../places/tree.ts';
import type { Database } from '../storage/database.ts';
import type { Walk } from './store.ts';

/** The user's place and walk, stored on the device. */
export class Walking {
  readonly now = signal<Walk>({ place: null, leg: '', unplaced: null });
  readonly #database: Database;
  readonly #newId: () => string;

  constructor(database: Database, newId: () => string) {
    this.#database = database;
    this.#newId = newId;
  }

  async load(): Promise<void> {
    const kept = (await this.#database.get('kept', 'walk')) as Partial<Walk> | undefined;
    this.now.value = { ...this.next(null), unplaced: null, ...kept };
  }

  next(place: Place | null): Walk {
    const unplaced = this.#unplacedSoFar();
    return { place: place === null ? null : placeOf(place), leg: this.#newId(), unplaced };
  }

  async choose(place: Place): Promise<void> {
    this.now.value = this.next(place);
    await this.#database.put('kept', this.now.value, 'walk');
  }

  /** Follows the tree: renamed places get their new name, deleted ones are left. */
  async follow(tree: LocationTree): Promise<void> {
    const { place } = this.now.value;
    if (place !== null && tree.all.length > 0) {
      const location = tree.get(place.id);
      this.now.value =
        location === undefined ? this.next(null) : { ...this.now.value, place: placeOf(location) };
      await this.#database.put('kept', this.now.value, 'walk');
    }
  }

  async forgetUnplaced(): Promise<void> {
    this.now.value = { ...this.now.value, unplaced: null };
    await this.#database.put('kept', this.now.value, 'walk');
  }

  /** The gateway knew a location's tag that the device did not: the leg's walk is there. */
  async learn(places: ReadonlyMap<string, Place>): Promise<void> {
    const place = places.get(this.now.value.leg);
    if (place !== undefined) {
      this.now.value = { ...this.now.value, place: placeOf(place), unplaced: this.#unplacedSoFar() };
      await this.#database.put('kept', this.now.value, 'walk');
    }
  }

  /** The last leg without a place, seen from one with a place. */
  #unplacedSoFar(): string | null {
    const { place, leg, unplaced } = this.now.value;
    return place === null ? leg : unplaced;
  }
}
