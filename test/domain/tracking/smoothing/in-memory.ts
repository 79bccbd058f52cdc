import { assetKey } from '../../../../domain/tracking/history/asset-ref.ts';
import { compareRssi, type Sighting, type Transition } from '../../../../domain/tracking/history/history.ts';
import { historyChanges } from '../../../../domain/tracking/history-changes.ts';
import { type LocatedScan, scanName } from '../../../../domain/tracking/located-scan.ts';
import type { Position } from '../../../../domain/tracking/positions.ts';
import type { Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import { type DatedSmoothing, SmoothingSettings } from '../../../../domain/tracking/smoothing/settings.ts';
import type { StoredTracking } from '../../../../domain/tracking/stored-tracking.ts';
import type { Move } from '../../../../domain/tracking/tell-moves.ts';
import { touchedAssets } from '../../../../domain/tracking/touched.ts';
import { aRead } from '../../../support/recording.ts';
import type { RandomRead } from './passing.ts';

const ORG = 1;
const ASSET = 1;

/** One asset as the recorder has it, but in memory: what is stored is looked up as plainly as can be. */
export class AssetInMemory {
  readonly #settings: SmoothingSettings;
  readonly #scans = new Map<string, LocatedScan>();
  #transitions: Transition[] = [];
  #position: Position = { orgId: ORG, assetId: ASSET, stay: null, lastSeen: null, row: '' };

  constructor(settings: readonly DatedSmoothing[]) {
    this.#settings = new SmoothingSettings(settings);
  }

  get history(): readonly Transition[] {
    return this.#transitions;
  }

  get position(): Position {
    return this.#position;
  }

  get seen(): Seen[] {
    return [...this.#scans.values()].map(toSeen);
  }

  /** @returns the moves that are told of it. */
  async record(batch: readonly RandomRead[]): Promise<readonly Move[]> {
    const stored = new Set(this.#scans.keys());
    const changed = new Map<string, LocatedScan>();
    for (const placed of batch.map(placedScan)) {
      const name = scanName(placed);
      const known = this.#scans.get(name);
      if (known === undefined || compareRssi(placed.scan.rssi, known.scan.rssi) > 0) {
        this.#scans.set(name, placed);
        changed.set(name, placed);
      }
    }
    const { fresh = [], stronger = [] } = Object.groupBy(changed, ([name]) =>
      stored.has(name) ? 'stronger' : 'fresh',
    );
    const scans = (entries: readonly [string, LocatedScan][]) => entries.map(([, scan]) => scan);
    const touched = touchedAssets([this.#position], scans(fresh), scans(stronger));
    const told: Move[] = [];
    const settings = new Map([[ORG, this.#settings]]);
    for (const { position, put, gone, moves } of await historyChanges(this.#stored(), touched, settings)) {
      const replaced = new Set([...put, ...gone].map(({ observedAt }) => observedAt));
      this.#transitions = [
        ...this.#transitions.filter(({ observedAt }) => !replaced.has(observedAt)),
        ...put,
      ];
      this.#transitions.sort((a, b) => a.observedAt - b.observedAt);
      this.#position = position;
      told.push(...moves);
    }
    return told;
  }

  #stored(): StoredTracking {
    const seen = this.seen.toSorted((a, b) => a.observedAt - b.observedAt);
    const within = (from: number, to: number) =>
      seen.filter(({ observedAt }) => observedAt >= from && observedAt <= to);
    const around = (from: number, to: number): Transition[] => {
      const all = this.#transitions;
      return [
        ...all.filter(({ observedAt }) => observedAt < from).slice(-1),
        ...all.filter(({ observedAt }) => observedAt >= from && observedAt <= to),
        ...all.filter(({ observedAt }) => observedAt > to).slice(0, 1),
      ];
    };
    const endOf = (at: number) => seen.find(({ observedAt }) => observedAt > at)?.observedAt ?? at;
    return {
      neighbourhoods: async (changed) => {
        const windows = changed.map(({ observedAt: from }) => {
          const to = endOf(from);
          return { from, to, sightings: within(from, to) as Sighting[] };
        });
        const stored = new Map(
          windows.flatMap(({ from, to }) => around(from, to).map((row) => [row.observedAt, row] as const)),
        );
        const ordered = [...stored.values()].sort((a, b) => a.observedAt - b.observedAt);
        return new Map([[assetKey(this.#position), { windows, stored: ordered }]]);
      },
      lastBefore: async (instants, since) =>
        instants.map(({ observedAt }) => {
          const before = within(since, observedAt - 1);
          return before.filter((scan) => scan.observedAt === before.at(-1)?.observedAt);
        }),
      scans: async (stretches) => stretches.map(({ from, to }) => within(from, to)),
      transitions: async (stretches) => stretches.map(({ from, to }) => around(from, to)),
      scansAhead: async (stretches, count) =>
        stretches.map(
          ({ to }) =>
            within(to + 1, Number.POSITIVE_INFINITY)[count - 1]?.observedAt ??
            seen.at(-1)?.observedAt ??
            null,
        ),
    };
  }
}

function toSeen({ observedAt, locationId, scan }: LocatedScan): Seen {
  return { observedAt, locationId, rssi: scan.rssi, isByPerson: scan.source.kind === 'handheld' };
}

function placedScan({ place, at, rssi, isByPerson }: RandomRead): LocatedScan {
  const read = aRead({ orgId: ORG, readerId: place, value: 'CRATE', locationId: place, at, rssi });
  const source = { kind: 'handheld', handheldId: 1, submissionId: `${place} ${at}`, index: 0 } as const;
  return {
    orgId: ORG,
    assetId: ASSET,
    locationId: place,
    observedAt: at,
    tagValue: 'CRATE',
    timeIsReceived: false,
    scan: isByPerson ? { ...read, rssi: null, source } : read,
  };
}
