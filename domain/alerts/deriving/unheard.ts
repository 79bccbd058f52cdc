import type { Micros } from '../../../base/instant.ts';
import type { HeardAt } from '../conditions/next-look.ts';

/** What is known of a location of which assets wait for readers to say something. */
export interface HeardLocation {
  provenUntil: Micros;
  listenedSince: Micros | null;
}

interface Waiting {
  assets: Map<number, HeardAt>;
  askedAt: Micros;
  /** None waits for anything before. */
  first: Micros;
}

/**
 * Assets of which nothing can change before readers at their locations say something: while these are silent nobody looks at
 * them, however many they are.
 */
export class Unheard {
  readonly #locations = new Map<number, Waiting>();
  readonly #locationOf = new Map<number, number>();

  /** @param heard what it waits for; null for nothing. */
  set(assetId: number, heard: HeardAt | null): void {
    this.#forget(assetId);
    if (heard !== null) {
      const { locationId } = heard;
      const location = this.#locations.get(locationId) ?? newWaiting();
      location.assets.set(assetId, heard);
      location.first = Math.min(location.first, heard.provenUntil);
      this.#locations.set(locationId, location);
      this.#locationOf.set(assetId, locationId);
    }
  }

  get isEmpty(): boolean {
    return this.#locations.size === 0;
  }

  /** No later than what any of them waits for. */
  get earliest(): Micros {
    return this.#locations
      .values()
      .reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  }

  /** Locations to ask about: those that may have been heard, and others not asked about since `before`; longest ago first. */
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

  /** Takes those whose wait is over, with when to look at them. */
  take(locationId: number, { provenUntil, listenedSince }: HeardLocation): { id: number; at: Micros }[] {
    const waiting = this.#locations.get(locationId)?.assets ?? new Map<number, HeardAt>();
    const taken = [];
    for (const [id, heard] of waiting) {
      if (provenUntil >= heard.provenUntil) {
        taken.push({ id, at: heard.provenUntil });
      } else if (listenedSince !== null && Number.isFinite(heard.listenedFor)) {
        taken.push({ id, at: listenedSince + heard.listenedFor });
      }
    }
    for (const { id } of taken) {
      this.#forget(id);
    }
    return taken;
  }

  #forget(assetId: number): void {
    const locationId = this.#locationOf.get(assetId);
    if (locationId === undefined) {
      return;
    }
    this.#locationOf.delete(assetId);
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
