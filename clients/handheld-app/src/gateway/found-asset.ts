import type { AssetRef } from './answers.ts';
import type { Place } from './place.ts';

/** An asset, and where the gateway says it is. */
export interface FoundAsset extends AssetRef {
  /** Null for never. */
  last_seen: string | null;
  since: string | null;
  location: Place | null;
  tags: readonly { tag_type: string; value: string }[];
  /** Null where nothing can be said; not there in lists to be kept, nor in answers of older gateways. */
  presence?: AssetPresence | null;
}

export interface Stay {
  location: Place;
  arrived_at: string;
  /** Null while it is there. */
  left_at: string | null;
}

/** Whether an asset is still where it was seen last. */
export interface AssetPresence {
  /** More may be added. */
  state: string;
  state_since: string | null;
  /** The reader that does not listen. */
  reader_name: string | null;
  is_by_sweep: boolean;
}

/** How an antenna heard an asset last. */
export interface HeardRead {
  location: Place | null;
  /** dBm; null if the reader reports none. */
  rssi: number | null;
  seconds_ago: number;
}

/** With its last places, the latest first. */
export interface AssetPage extends FoundAsset {
  stays: readonly Stay[];
}
