import type { Client } from '../../db/timescale/connections/client.ts';
import type { StoredTracking } from './history-changes.ts';
import { loadNeighbourhoods } from './neighbourhood.ts';
import { lastScansBefore, loadScans, loadTransitions, scansAhead } from './smoothing/load-stretches.ts';

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
