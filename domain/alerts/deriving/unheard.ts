import type { Micros } from '../../../base/instant.ts';
import { type HeardAt, joinHeard } from '../conditions/next-look.ts';
import type { Heard } from '../conditions/surroundings.ts';

interface Waiting {
  assets: Map<number, HeardAt>;
  askedAt: Micros;
  /** None waits for anything before. */
  first: Micros;
}

/**
 * Assets that cannot change before readers at their locations are heard: while these are silent, nobody looks at the
 * assets. An asset may wait for several locations: readers at an earlier one may still have to prove that it was
 * overdue there.
 */
export class Unheard {
  readonly #locations = new Map<number, Waiting>();
  readonly #locationsOf = new Map<number, Set<number>>();

  /**
   * @param waits the locations it waits for now.
   * @param since the instant from which it was looked at: waits from before were not looked for, and stay.
   */
  set(assetId: number, waits: readonly HeardAt[], since: Micros): void {
    const earlier = this.#waitsOf(assetId).filter(({ provenUntil }) => provenUntil < since);
    this.#forget(assetId);
    const past = earlier.map((wait) => ({ ...wait, listenedFor: Number.POSITIVE_INFINITY, isOver: true }));
    for (const wait of joinHeard([...past, ...waits])) {
      this.#add(assetId, wait);
    }
  }

  /** A lower bound of all their waits. */
  get earliest(): Micros {
    return this.#locations
      .values()
      .reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  }

  /** Where any of them waits. */
  get locationIds(): readonly number[] {
    return [...this.#locations.keys()];
  }

  /** Whether there are any {@link toAsk}. */
  isToAsk(isHeard: (locationId: number) => boolean, before: Micros): boolean {
    return this.#locations.entries().some(([id, { askedAt }]) => askedAt < before || isHeard(id));
  }

  /**
   * Locations to ask about: those that may have been heard, and others not asked about since `before`; longest ago
   * first.
   */
  toAsk(isHeard: (locationId: number) => boolean, before: Micros, now: Micros, most: number): number[] {
    const asked = [...this.#locations]
      .filter(([id, { askedAt }]) => askedAt < before || isHeard(id))
      .sort(([, a], [, b]) => a.askedAt - b.askedAt)
      .slice(0, most);
    for (const [, location] of asked) {
      location.askedAt = now;
    }
    return asked.map(([id]) => id);
  }

  /**
   * Takes those whose wait at a location is over, with the instant to look at; forgets waits that nothing can prove any
   * more.
   */
  take(
    locationId: number,
    { provenUntil, provableUntil, listenedSince }: Heard,
  ): { id: number; at: Micros }[] {
    const waiting = this.#locations.get(locationId)?.assets ?? new Map<number, HeardAt>();
    const taken = [];
    for (const [id, heard] of [...waiting]) {
      if (provenUntil >= heard.provenUntil) {
        taken.push({ id, at: heard.provenUntil });
      } else if (listenedSince !== null && Number.isFinite(heard.listenedFor)) {
        taken.push({ id, at: listenedSince + heard.listenedFor });
      } else if (heard.isOver && provableUntil < heard.provenUntil) {
        this.#remove(id, locationId);
      }
    }
    for (const { id } of taken) {
      this.#remove(id, locationId);
    }
    return taken;
  }

  #waitsOf(assetId: number): HeardAt[] {
    const locationIds = [...(this.#locationsOf.get(assetId) ?? [])];
    return locationIds.flatMap((id) => this.#locations.get(id)?.assets.get(assetId) ?? []);
  }

  #add(assetId: number, wait: HeardAt): void {
    const { locationId } = wait;
    const location = this.#locations.get(locationId) ?? newWaiting();
    location.assets.set(assetId, wait);
    location.first = Math.min(location.first, wait.provenUntil);
    this.#locations.set(locationId, location);
    const own = this.#locationsOf.get(assetId) ?? new Set();
    this.#locationsOf.set(assetId, own.add(locationId));
  }

  #forget(assetId: number): void {
    for (const locationId of [...(this.#locationsOf.get(assetId) ?? [])]) {
      this.#remove(assetId, locationId);
    }
  }

  #remove(assetId: number, locationId: number): void {
    const own = this.#locationsOf.get(assetId);
    own?.delete(locationId);
    if (own?.size === 0) {
      this.#locationsOf.delete(assetId);
    }
    const location = this.#locations.get(locationId);
    location?.assets.delete(assetId);
    if (location?.assets.size === 0) {
      this.#locations.delete(locationId);
    }
  }
}

function newWaiting(): Waiting {
  return { assets: new Map(), askedAt: 0, first: Number.POSITIVE_INFINITY };
}
