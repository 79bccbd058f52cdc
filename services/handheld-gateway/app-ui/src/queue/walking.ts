import { signal } from '@preact/signals';
import { type Place, placeOf } from '../places/place.ts';
import type { LocationTree } from '../places/tree.ts';
import type { Database } from '../storage/database.ts';
import type { Walk } from './store.ts';

/** Where the user is. Kept on the device, so that the walk goes on after the app was closed. */
export class Walking {
  readonly now = signal<Walk>({ place: null, leg: '' });
  readonly #database: Database;
  readonly #newId: () => string;

  constructor(database: Database, newId: () => string) {
    this.#database = database;
    this.#newId = newId;
  }

  async load(): Promise<void> {
    const kept = (await this.#database.get('kept', 'walk')) as Walk | undefined;
    this.now.value = kept ?? this.next(null);
  }

  /** The walk as it goes on at another place; not kept yet. */
  next(place: Place | null): Walk {
    return { place: place === null ? null : placeOf(place), leg: this.#newId() };
  }

  /** The user chose a place by hand. */
  async choose(place: Place): Promise<void> {
    this.now.value = this.next(place);
    await this.#database.put('kept', this.now.value, 'walk');
  }

  /** The tree changed: a place that was renamed is called so, and one that is gone is left. */
  async follow(tree: LocationTree): Promise<void> {
    const { place, leg } = this.now.value;
    if (place !== null && tree.all.length > 0) {
      const location = tree.get(place.id);
      this.now.value = location === undefined ? this.next(null) : { place: placeOf(location), leg };
      await this.#database.put('kept', this.now.value, 'walk');
    }
  }

  /** The gateway knew the tag of a location that the device did not: the leg's walk is there. */
  async learn(places: ReadonlyMap<string, Place>): Promise<void> {
    const place = places.get(this.now.value.leg);
    if (place !== undefined) {
      this.now.value = { ...this.now.value, place: placeOf(place) };
      await this.#database.put('kept', this.now.value, 'walk');
    }
  }
}
