/**
 * An asset as the API describes it: once by the simulator, which knows, and once by the API, which was told by readers.
 * Only these two are compared.
 */
export interface AssetRecord {
  asset: string;
  /** Null if it was never seen. */
  current: CurrentLocation | null;
  /** Oldest first. */
  history: readonly HistoryRow[];
}

export interface CurrentLocation {
  location: string | null;
  /** RFC 3339 in UTC with milliseconds. */
  lastSeen: string;
}

export interface HistoryRow {
  /** RFC 3339 in UTC with milliseconds. */
  at: string;
  location: string;
  /** Whole seconds at the location before; null on the first row only. */
  durationSeconds: number | null;
}
