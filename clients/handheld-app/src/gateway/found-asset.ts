import type { AssetRef } from './answers.ts';
import type { Place } from './place.ts';

/** An asset, and where the gateway says it is. */
export interface FoundAsset extends AssetRef {
  /** Null for never. */
  last_seen: string | null;
  since: string | null;
  location: Place | null;
  tags: readonly { tag_type: string; value: string }[];
}

export interface Stay {
  location: Place;
  arrived_at: string;
  /** Null while it is there. */
  left_at: string | null;
}

/** With its last places, the latest first. */
export interface AssetPage extends FoundAsset {
  stays: readonly Stay[];
}
