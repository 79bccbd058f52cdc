import type { Micros } from '../../base/instant.ts';

/** The assets of a sweep, by id, as the device that made it knew them. An asset may be in more than one list. */
export interface SweptAssets {
  expected: readonly number[];
  found: readonly number[];
  movedHere: readonly number[];
  missing: readonly number[];
}

/** A check of a location for what should be there, finished by a person with a handheld. */
export interface Sweep extends SweptAssets {
  orgId: number;
  /** A ULID, made by the device. */
  id: string;
  handheldId: number;
  /** Digest; equal for sweeps with the same content. */
  bodyDigest: Buffer;
  receivedAt: Micros;
  locationId: number;
  beganAt: Micros;
  endedAt: Micros;
  includeDescendants: boolean;
  /** Tag values. */
  unknown: readonly string[];
}
