import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import type { Sighting } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { type ChangedInstant, loadNeighbourhoods } from './load-neighbourhoods.ts';
import { lastScansBefore, loadScans, loadTransitions, scansAhead } from './smoothing/load-stretches.ts';
import type { StoredStretches } from './smoothing/smoothed-neighbourhoods.ts';

/** What is stored of the touched assets, their new and changed scans included. */
export interface StoredTracking extends StoredStretches {
  /** @returns by {@link assetKey}. */
  neighbourhoods(changed: readonly ChangedInstant[]): Promise<ReadonlyMap<string, Neighbourhood>>;
  /** The scans at the last instant before each, none from before `since`; in the order of `instants`. */
  lastBefore(
    instants: readonly ChangedInstant[],
    since: Micros,
  ): Promise<Pick<Sighting, 'observedAt' | 'locationId'>[][]>;
}

/** What is stored, as the transaction of `client` sees it. */
export function storedTracking(client: Client): StoredTracking {
  return {
    neighbourhoods: (changed) => loadNeighbourhoods(client, changed),
    lastBefore: (instants, since) => lastScansBefore(client, instants, since),
    scans: (stretches) => loadScans(client, stretches),
    transitions: (stretches) => loadTransitions(client, stretches),
    scansAhead: (stretches, count) => scansAhead(client, stretches, count),
  };
}
