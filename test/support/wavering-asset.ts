import type { FeedRow } from './feed-rows.ts';

/** A stay as a consumer of the feed knows it. */
export type FoldedRows = Map<string, string>;

interface ToldRow {
  row: string;
  location_id: number;
  duration_seconds: number | null;
}

/** Folds an event onto an asset's rows, as a consumer does. */
export function foldEvent(
  rows: FoldedRows,
  { data }: { data: { added: ToldRow[]; removed: ToldRow[]; changed: ToldRow[] } },
): void {
  for (const { row } of data.removed) {
    rows.delete(row);
  }
  for (const { row, location_id: location, duration_seconds: duration } of [...data.added, ...data.changed]) {
    rows.set(row, `${location} ${duration}`);
  }
}

const BEGAN = 1_777_880_280_000_000;

/** An asset between two locations, whose last stay is added, taken back and changed again and again. */
export class WaveringAsset {
  readonly #assetId: number;
  readonly #locations: readonly [number, number];
  readonly #random: () => number;
  /** Locations of its stays, a minute apart. */
  readonly #stays: number[] = [];

  constructor(assetId: number, locations: readonly [number, number], random: () => number) {
    this.#assetId = assetId;
    this.#locations = locations;
    this.#random = random;
  }

  /** The next event of its history. */
  next(): FeedRow {
    const before = this.#stays.at(-1) ?? null;
    const chance = this.#random();
    if (this.#stays.length === 0 || chance < 0.4) {
      this.#stays.push(this.#other(before));
      return this.#row(before, { kind: 'moved', durationSeconds: 60 });
    }
    const at = this.#at();
    if (chance < 0.8) {
      this.#stays.pop();
      return this.#row(before, { kind: 'corrected', rows: { removed: [[at, before, 60]] } });
    }
    const after = this.#other(before);
    this.#stays.splice(-1, 1, after);
    return this.#row(before, { kind: 'corrected', rows: { changed: [[at, after, 60, before, 60]] } });
  }

  #other(location: number | null): number {
    const [one, other] = this.#locations;
    return location === one ? other : one;
  }

  #at(): number {
    return BEGAN + this.#stays.length * 60_000_000;
  }

  #row(before: number | null, rest: Partial<FeedRow>): FeedRow {
    const location = this.#stays.at(-1) ?? null;
    const since = location === null ? null : new Date(this.#at() / 1_000).toISOString();
    return {
      ...{ assetId: this.#assetId, locationId: location, since, lastSeen: since },
      ...{ previousLocationId: before, ...rest },
    };
  }
}
