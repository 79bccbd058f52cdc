import { isTagType } from '../../../../domain/tracking/tag-type.ts';
import type { GatewayClient } from '../gateway/client.ts';
import type { FoundAsset } from '../gateway/found-asset.ts';
import type { Database } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';

/**
 * Some 300 bytes each with a tag: 3 MB to fetch. Searching all of them took 4 ms of processor time on a busy desktop (1 to
 * 9), and 19 in its Chromium throttled sixfold, as a phone (8 to 96); reading them from the device's database first took 17
 * to 243 ms there, and 61 to 620 throttled.
 */
export const MOST_ASSETS = 10_000;

const FRESH_MS = 3_600_000;

/** The assets as the device has them, to be found without a network. */
export interface KeptAssets {
  fetched_at: string;
  /** How many the organization has. */
  total: number;
  assets: FoundAsset[];
}

export class OwnList {
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #now: () => Date;
  #refreshing: Promise<void> | null = null;
  /** In memory while the screen is open; of a token, as somebody else may sign in. */
  #held: { token: string | null; list: Promise<KeptAssets | null> } | null = null;
  #isHeld = false;

  constructor(database: Database, gateway: GatewayClient, now: () => Date) {
    this.#database = database;
    this.#gateway = gateway;
    this.#now = now;
  }

  /** Reads it once and not for every letter, until let go. */
  hold(): void {
    this.#isHeld = true;
  }

  letGo(): void {
    this.#isHeld = false;
    this.#held = null;
  }

  read(token: string | null): Promise<KeptAssets | null> {
    if (!this.#isHeld) {
      return this.#stored();
    }
    if (this.#held?.token !== token) {
      this.#held = { token, list: this.#stored() };
    }
    return this.#held.list;
  }

  async #stored(): Promise<KeptAssets | null> {
    return ((await this.#database.get('kept', 'assets')) as KeptAssets | undefined) ?? null;
  }

  /**
   * Fetches the list if it is older than an hour.
   *
   * @param isCurrent whether the token is still in use: the answer may be another organization's.
   */
  refresh(token: string, isCurrent: () => boolean): Promise<void> {
    this.#refreshing ??= this.#refresh(token, isCurrent).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** What this device learned since of where assets are. */
  async withLearned(kept: KeptAssets, assets: readonly FoundAsset[]): Promise<FoundAsset[]> {
    const tags = assets.flatMap((asset) =>
      asset.tags.flatMap(({ tag_type, value }) => (isTagType(tag_type) ? [{ tag_type, value, asset }] : [])),
    );
    const known = await findKnown(this.#database, tags);
    const learned = new Map<number, FoundAsset>();
    for (const [index, { asset }] of tags.entries()) {
      const { place = null, at = '' } = known[index] ?? {};
      const before = learned.get(asset.id)?.last_seen ?? kept.fetched_at;
      if (place !== null && at > before) {
        const since = place.id === asset.location?.id ? asset.since : at;
        learned.set(asset.id, { ...asset, location: place, since, last_seen: at });
      }
    }
    return assets.map((asset) => learned.get(asset.id) ?? asset);
  }

  async #refresh(token: string, isCurrent: () => boolean): Promise<void> {
    // Another tab may have fetched it.
    const kept = await this.#stored();
    const age =
      kept === null ? Number.POSITIVE_INFINITY : this.#now().getTime() - Date.parse(kept.fetched_at);
    if (age >= 0 && age < FRESH_MS) {
      return;
    }
    const fetched_at = this.#now().toISOString();
    const answer = await this.#gateway.assets(token, MOST_ASSETS);
    if (answer.kind === 'ok' && isCurrent()) {
      const assets: KeptAssets = {
        fetched_at,
        total: answer.total ?? answer.data.length,
        assets: answer.data,
      };
      await this.#database.put('kept', assets, 'assets');
      this.#held = null;
    }
  }
}
