import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { aroundLate } from './around-late.ts';
import type { Sighting } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { type ChangedInstant, loadNeighbourhoods } from './load-neighbourhoods.ts';
import type { LocatedScan } from './located-scan.ts';
import type { Near } from './near-scans.ts';
import { lastScansBefore, loadScans, loadTransitions, scansAhead } from './smoothing/load-stretches.ts';
import type { StoredStretches } from './smoothing/smoothed-neighbourhoods.ts';
import type { Touched } from './touched.ts';

/** Reads what is stored, new and changed scans included. */
export interface StoredTracking extends StoredStretches {
  /** What was found around the asset's scans before they were written; null where that does not suffice. */
  around(asset: Touched): Neighbourhood | null;
  /** @returns by {@link assetKey}. */
  neighbourhoods(changed: readonly ChangedInstant[]): Promise<ReadonlyMap<string, Neighbourhood>>;
  /** For each of `instants`, in their order: all scans at the last instant before it, none from before `since`. */
  lastBefore(
    instants: readonly ChangedInstant[],
    since: Micros,
  ): Promise<Pick<Sighting, 'observedAt' | 'locationId'>[][]>;
}

/** @param near of late scans, as it was before they were written. */
export function storedTracking(
  client: Client,
  near: ReadonlyMap<LocatedScan, Near> = new Map(),
): StoredTracking {
  return {
    around: (asset) => aroundLate(asset, near),
    neighbourhoods: (changed) => loadNeighbourhoods(client, changed),
    lastBefore: (instants, since) => lastScansBefore(client, instants, since),
    scans: (stretches) => loadScans(client, stretches),
    transitions: (stretches) => loadTransitions(client, stretches),
    scansAhead: (stretches, count) => scansAhead(client, stretches, count),
  };
}
