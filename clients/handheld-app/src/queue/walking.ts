import { signal } from '@preact/signals';
import { type Place, placeOf } from '../gateway/place.ts';
import type { LocationTree } from '../places/tree.ts';
import type { Database } from '../storage/database.ts';
import type { Walk } from './store.ts';

const MOST_RECENT = 5;

/** The user's place and walk, stored on the device. */
export class Walking {
  readonly now = signal<Walk>({ place: null, leg: '', unplaced: null });
  /** The user's places, latest first, the present one included. */
  readonly recent = signal<readonly Place[]>([]);
  readonly #database: Database;
  readonly #newId: () => string;

  constructor(database: Database, newId: () => string) {
    this.#database = database;
    this.#newId = newId;
    this.now.subscribe(({ place }) => this.#remember(place));
  }

  async load(): Promise<void> {
    const kept = (await this.#database.get('kept', 'walk')) as Partial<Walk> | undefined;
    this.recent.value = ((await this.#database.get('kept', 'recent places')) as Place[] | undefined) ?? [];
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

  #remember(place: Place | null): void {
    const recent = this.recent.peek();
    if (place !== null && recent[0]?.id !== place.id) {
      const others = recent.filter(({ id }) => id !== place.id);
      this.recent.value = [place, ...others].slice(0, MOST_RECENT);
      // A comfort: nothing rests on it.
      void this.#database.put('kept', this.recent.value, 'recent places').catch(() => {});
    }
  }

  /** The last leg without a place, seen from one with a place. */
  #unplacedSoFar(): string | null {
    const { place, leg, unplaced } = this.now.value;
    return place === null ? leg : unplaced;
  }
}
