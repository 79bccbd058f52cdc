import { type Difference, historyDifferences } from './compare.ts';
import type { FeedEvent, FeedPage, FeedRow } from './feed-event.ts';
import type { HistoryRow } from './truth/asset-record.ts';

/** Faults of the feed itself, independent of histories. */
export interface FeedFaults {
  /** Positions that came again, or after a later one. */
  twice: number;
  /** Positions that did not come before a later one. */
  skipped: number;
  /** Events that are earlier than the one before of their asset. */
  inverted: number;
}

interface Folded {
  time: string;
  rows: Map<string, FeedRow>;
}

/** The consumer of the feed: applies every event from position 1 on, in order, to histories that are empty at first. */
export class FeedFold {
  readonly faults: FeedFaults = { twice: 0, skipped: 0, inverted: 0 };
  position = 0;
  readonly #assets = new Map<number, Folded>();

  apply({ type, time, data }: FeedEvent): void {
    const { position, asset, added = [], removed = [], changed = [] } = data;
    if (position <= this.position) {
      this.faults.twice += 1;
    } else {
      this.faults.skipped += position - this.position - 1;
      this.position = position;
    }
    if (!MOVES.includes(type) || asset === undefined) {
      return;
    }
    const folded = this.#assets.get(asset.id) ?? { time, rows: new Map() };
    this.faults.inverted += time < folded.time ? 1 : 0;
    for (const { row } of removed) {
      folded.rows.delete(row);
    }
    for (const row of [...added, ...changed]) {
      folded.rows.set(row.row, row);
    }
    this.#assets.set(asset.id, { time, rows: folded.rows });
  }

  /**
   * Applies all there is by now.
   *
   * @param read what follows a position; null if it is not kept any more.
   * @returns whether it was there from the beginning.
   */
  async catchUp(read: (after: number) => Promise<FeedPage | null>): Promise<boolean> {
    for (;;) {
      const page = await read(this.position);
      if (page === null) {
        return false;
      }
      for (const event of page.events) {
        this.apply(event);
      }
      if (page.events.length === 0 || this.position >= page.head) {
        this.faults.skipped += Math.max(0, page.head - this.position);
        this.position = Math.max(this.position, page.head);
        return true;
      }
    }
  }

  /** Oldest first. */
  history(assetId: number): HistoryRow[] {
    const rows = [...(this.#assets.get(assetId)?.rows.values() ?? [])];
    return rows
      .sort((a, b) => (a.row < b.row ? -1 : 1))
      .map(({ event_observed_at, location_external_key, duration_seconds }) => ({
        at: event_observed_at,
        location: location_external_key,
        durationSeconds: duration_seconds,
      }));
  }

  /** Broken promises of the feed, and histories in which it differs from these; empty if none. */
  differences(histories: readonly AnsweredHistory[]): Difference[] {
    const { twice, skipped, inverted } = this.faults;
    const counted: [what: string, count: number][] = [
      ['positions of the feed given twice', twice],
      ['positions of the feed skipped', skipped],
      ['events of the feed before earlier ones of their asset', inverted],
    ];
    return [
      ...counted
        .filter(([, count]) => count > 0)
        .map(([what, count]) => ({ asset: 'the feed', what, truth: 'none', answer: String(count) })),
      ...histories.flatMap(({ id, asset, history }) =>
        historyDifferences(history, this.history(id)).map((difference) => ({
          asset,
          what: 'history by the feed',
          ...difference,
        })),
      ),
    ];
  }
}

/** A history as the installation answers it. */
export interface AnsweredHistory {
  id: number;
  asset: string;
  history: readonly HistoryRow[];
}

const MOVES = ['tagtrail.asset.moved.v1', 'tagtrail.history.corrected.v1'];
