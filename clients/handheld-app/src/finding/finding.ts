import { signal } from '@preact/signals';
import { sameTagKey, tagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, TAG_TYPES } from '../../../../domain/tracking/tag-type.ts';
import { folded } from '../../../ui/texts/folded.ts';
import type { GatewayClient } from '../gateway/client.ts';
import type { AssetPage, FoundAsset } from '../gateway/found-asset.ts';
import type { Database } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';

/** Nobody reads more than this; people type on instead. */
const MOST_SHOWN = 50;
/** Between two letters that somebody types. */
const TYPING_MS = 250;

export interface Hits {
  assets: readonly FoundAsset[];
  total: number;
  source: Source;
}

/**
 * The gateway just now; or the device's own list as of then, null if it has none. Of a large organization it has a part:
 * `part` of `of`.
 */
export type Source =
  | { kind: 'gateway' }
  | { kind: 'device'; asOf: string | null; part: number; of: number; isAsking: boolean };

/** The page of an asset. */
export type Page =
  | { kind: 'asking' }
  | { kind: 'asset'; asset: FoundAsset & Partial<AssetPage>; asOf: string | null; isAsking: boolean }
  | { kind: 'gone' | 'not known' };

export interface FindingParts {
  database: Database;
  gateway: GatewayClient;
  now(): Date;
  /** Null while nobody is signed in. */
  token(): string | null;
  onUnauthorized(token: string, detail: string): void;
}

/** Looks for assets: at the gateway, and without a network in the device's own list. It records nothing. */
export class Finding {
  readonly words = signal('');
  /** Null while nothing is looked for. */
  readonly hits = signal<Hits | null>(null);
  readonly page = signal<Page>({ kind: 'asking' });
  /** Recently viewed assets, latest first. */
  readonly before = signal<readonly LookedAt[]>([]);
  readonly gateway: GatewayClient;
  readonly #parts: FindingParts;
  readonly #own: OwnList;
  #search = 0;
  #look = 0;

  constructor(parts: FindingParts) {
    this.#parts = parts;
    this.gateway = parts.gateway;
    this.#own = new OwnList(parts.database, parts.gateway, parts.now);
  }

  /**
   * Call when the screen opens.
   *
   * @returns a function to call when it closes.
   */
  open(): () => void {
    this.#own.hold();
    void this.refresh();
    return () => this.#own.letGo();
  }

  /** Call when the network may be back. */
  async refresh(): Promise<void> {
    const token = this.#parts.token();
    this.before.value = await lookedAt(this.#parts.database);
    if (token !== null && navigator.onLine) {
      await this.#own.refresh(token, () => this.#parts.token() === token);
    }
  }

  /** Shows at once what the device knows, then the gateway's answer. */
  async search(text: string): Promise<void> {
    this.words.value = text;
    this.#search += 1;
    const search = this.#search;
    const isCurrent = () => search === this.#search;
    if (text.trim() === '') {
      this.hits.value = null;
      return;
    }
    const token = this.#parts.token();
    const isAsking = token !== null && navigator.onLine;
    const own = await this.#ownHits(text, isAsking);
    if (!isCurrent()) {
      return;
    }
    this.hits.value = own;
    if (!isAsking) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
    if (!isCurrent()) {
      return;
    }
    const answer = await this.#parts.gateway.findAssets(token, text.trim(), MOST_SHOWN);
    if (answer.kind === 'unauthorized') {
      this.#parts.onUnauthorized(token, answer.detail);
    }
    if (isCurrent()) {
      this.hits.value =
        answer.kind === 'ok'
          ? { assets: answer.data, total: answer.total ?? answer.data.length, source: { kind: 'gateway' } }
          : await this.#ownHits(text, false);
    }
  }

  async lookAt(id: number): Promise<void> {
    this.#look += 1;
    const look = this.#look;
    const token = this.#parts.token();
    const isAsking = token !== null && navigator.onLine;
    const own = await this.#ownPage(id, isAsking);
    if (look !== this.#look) {
      return;
    }
    this.page.value = own ?? (isAsking ? { kind: 'asking' } : { kind: 'not known' });
    if (!isAsking) {
      return;
    }
    const answer = await this.#parts.gateway.asset(token, id);
    if (answer.kind === 'unauthorized') {
      this.#parts.onUnauthorized(token, answer.detail);
    }
    if (look !== this.#look) {
      return;
    }
    if (answer.kind === 'ok') {
      const page = { asset: answer.data, fetched_at: this.#parts.now().toISOString() };
      this.page.value = { kind: 'asset', asset: answer.data, asOf: null, isAsking: false };
      await keepLookedAt(this.#parts.database, page);
    } else if (answer.kind === 'refused' && answer.status === 404) {
      this.page.value = { kind: 'gone' };
    } else {
      this.page.value = own === null ? { kind: 'not known' } : { ...own, isAsking: false };
    }
  }

  async #ownHits(text: string, isAsking: boolean): Promise<Hits> {
    const kept = await this.#own.read(this.#parts.token());
    const source = {
      ...{ kind: 'device' as const, asOf: kept?.fetched_at ?? null, isAsking },
      ...{ part: kept?.assets.length ?? 0, of: kept?.total ?? 0 },
    };
    if (kept === null) {
      return { assets: [], total: 0, source };
    }
    const found = matching(kept.assets, text);
    const assets = await this.#own.withLearned(kept, found.slice(0, MOST_SHOWN));
    return { assets, total: found.length, source };
  }

  /** The newer of the looked-up asset and the one in the list. */
  async #ownPage(id: number, isAsking: boolean): Promise<Extract<Page, { kind: 'asset' }> | null> {
    const before = (await lookedAt(this.#parts.database)).find(({ asset }) => asset.id === id);
    const kept = await this.#own.read(this.#parts.token());
    const listed = kept?.assets.find((asset) => asset.id === id);
    if (before !== undefined && before.fetched_at >= (kept?.fetched_at ?? '')) {
      return { kind: 'asset', asset: before.asset, asOf: before.fetched_at, isAsking };
    }
    if (kept === null || listed === undefined) {
      return before === undefined
        ? null
        : { kind: 'asset', asset: before.asset, asOf: before.fetched_at, isAsking };
    }
    const [asset = listed] = await this.#own.withLearned(kept, [listed]);
    return { kind: 'asset', asset, asOf: kept.fetched_at, isAsking };
  }
}

/** An asset's page as of its last view. */
interface LookedAt {
  asset: AssetPage;
  fetched_at: string;
}

const MOST_KEPT = 20;

/** Viewed pages, latest first: they open without a network, too. */
async function lookedAt(database: Database): Promise<LookedAt[]> {
  return ((await database.get('kept', 'looked at')) as LookedAt[] | undefined) ?? [];
}

async function keepLookedAt(database: Database, page: LookedAt): Promise<void> {
  const transaction = database.transaction('kept', 'readwrite');
  const kept = ((await transaction.store.get('looked at')) as LookedAt[] | undefined) ?? [];
  const others = kept.filter(({ asset }) => asset.id !== page.asset.id);
  await transaction.store.put([page, ...others].slice(0, MOST_KEPT), 'looked at');
  await transaction.done;
}

/**
 * The assets with every word in their name, key or tags, in any case, and those with the whole text as a tag in any
 * spelling. Exact matches come first, as in the gateway's answers.
 */
function matching(assets: readonly FoundAsset[], text: string): FoundAsset[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  const whole = text.trim();
  const keys = new Set(
    TAG_TYPES.filter((type) => tagKey(type, whole) !== '').map((type) => sameTagKey(type, whole)),
  );
  const isNamed = ({ external_key, tags }: FoundAsset) =>
    folded(external_key) === folded(whole) ||
    tags.some(({ tag_type, value }) => isTagType(tag_type) && keys.has(sameTagKey(tag_type, value)));
  const named: FoundAsset[] = [];
  const others: FoundAsset[] = [];
  for (const asset of words.length === 0 ? [] : assets) {
    const { name, external_key, tags } = asset;
    if (isNamed(asset)) {
      named.push(asset);
    } else {
      const told = [name, external_key, ...tags.map(({ value }) => value)].join('\n');
      const searched = folded(told);
      if (words.every((word) => searched.includes(word))) {
        others.push(asset);
      }
    }
  }
  return [...named, ...others];
}

/**
 * Some 300 bytes each with a tag: 3 MB to fetch. Searching all of them took 4 ms of processor time on a busy desktop (1 to
 * 9), and 19 in its Chromium throttled sixfold, as a phone (8 to 96); reading them from the device's database first took 17
 * to 243 ms there, and 61 to 620 throttled.
 */
const MOST_ASSETS = 10_000;

const FRESH_MS = 3_600_000;

/** The assets as the device has them, to be found without a network. */
interface KeptAssets {
  fetched_at: string;
  /** How many the organization has. */
  total: number;
  assets: FoundAsset[];
}

class OwnList {
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

  /** Reads it once instead of for every letter, until released. */
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

  /** This device's later knowledge of where assets are. */
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
