import { isUndone } from '../storage/scan.ts';
import type { ShownScan } from './queue.ts';
import { canBeUndone } from './undo.ts';

/** Scans of one tag in one walk that came to the same: an RFID sled reads a tag a hundred times. */
export interface Fold {
  /** The most significant scan: the one that moved the asset, else the last. */
  shown: ShownScan;
  /** Latest first. */
  scans: readonly ShownScan[];
}

/** @param recent latest first; a fold stands where its latest scan is. */
export function folded(recent: readonly ShownScan[]): Fold[] {
  const folds = new Map<string, { shown: ShownScan; scans: ShownScan[] }>();
  for (const shown of recent) {
    const key = sameAs(shown);
    const fold = folds.get(key);
    if (fold === undefined) {
      folds.set(key, { shown, scans: [shown] });
    } else {
      fold.scans.push(shown);
      if (shown.scan.result?.status === 'moved') {
        fold.shown = shown;
      }
    }
  }
  return [...folds.values()];
}

/** The scans of a fold that can be taken back, by number. */
export function undoableIn({ scans }: Fold): number[] {
  return scans.filter(({ scan }) => canBeUndone(scan)).map(({ scan }) => scan.seq);
}

const RECORDED = new Set(['moved', 'seen', 'duplicate']);

function sameAs({ scan }: ShownScan): string {
  const { tag_type, value, leg, sweep, place, state, result, undo, observed_at } = scan;
  const day = new Date(observed_at).toDateString();
  const status = result?.status ?? (state === 'refused' ? 'refused' : 'waiting');
  const kind = RECORDED.has(status) ? `recorded at ${result?.location?.id}` : status;
  return JSON.stringify([tag_type, value, leg, sweep, place?.id, day, kind, isUndone(scan), undo?.state]);
}
