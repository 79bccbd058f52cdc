import { append } from '../../../base/append.ts';
import type { TriedAsset } from './try-on-assets.ts';
import type { TriedMove } from './try-smoothing.ts';

/** An asset's moves with both settings, in order of time. */
export interface AssetMoves {
  assetId: number;
  present: TriedMove[];
  proposed: TriedMove[];
  /** Of all, also of those beyond the ones kept here. */
  counts: { present: number; proposed: number; removed: number; added: number };
}

/** Moves kept of an asset, of each kind: more than a picture can show. */
const MOST_MOVES = 1_000;

/** Keeps the assets whose number of moves a setting changes most; of equal ones those that move most. */
export class WorstAssets {
  readonly #most: number;
  #worst: AssetMoves[] = [];
  #current: AssetMoves | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  add({ assetId, kept, disappearing, appearing }: TriedAsset): void {
    if (this.#current?.assetId !== assetId) {
      this.#finish();
      const counts = { present: 0, proposed: 0, removed: 0, added: 0 };
      this.#current = { assetId, present: [], proposed: [], counts };
    }
    const { present, proposed, counts } = this.#current as AssetMoves;
    counts.present += kept.length + disappearing.length;
    counts.proposed += kept.length + appearing.length;
    counts.removed += disappearing.length;
    counts.added += appearing.length;
    keep(present, kept, disappearing);
    keep(proposed, kept, appearing);
  }

  /** The worst first. */
  worst(): readonly AssetMoves[] {
    this.#finish();
    return this.#worst;
  }

  #finish(): void {
    const current = this.#current;
    this.#current = null;
    if (current !== null && current.counts.present + current.counts.proposed > 0) {
      this.#worst = [...this.#worst, current].toSorted(byBadness).slice(0, this.#most);
    }
  }
}

function keep(moves: TriedMove[], ...more: readonly (readonly TriedMove[])[]): void {
  const room = MOST_MOVES - moves.length;
  if (room > 0) {
    const ordered = more.flat().toSorted((a, b) => a.observedAt - b.observedAt);
    append(moves, ordered.slice(0, room));
  }
}

function byBadness({ counts: a }: AssetMoves, { counts: b }: AssetMoves): number {
  const change = (counts: AssetMoves['counts']) => Math.abs(counts.present - counts.proposed);
  const all = (counts: AssetMoves['counts']) => counts.removed + counts.added;
  return change(b) - change(a) || all(b) - all(a) || b.present + b.proposed - a.present - a.proposed;
}
