import type { Instant } from '../../../base/timestamps.ts';
import type { SweptAssets } from '../../../domain/sweeps/sweep.ts';
import type { NamedLocation } from '../wire/fields.ts';

/** Times are by the device's clock. */
export interface SentSweep extends SweptAssets {
  id: string;
  sentAt: Instant;
  location: NamedLocation;
  beganAt: Instant;
  endedAt: Instant;
  includeDescendants: boolean;
  unknown: string[];
}
