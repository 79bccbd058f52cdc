import { inParts, isMoved, rowsAsJson } from '../../../../domain/tracking/feed/unsealed-move.ts';
import { assetKey } from '../../../../domain/tracking/history/asset-ref.ts';
import {
  compareRssi,
  type DecidedTransition,
  type Sighting,
} from '../../../../domain/tracking/history/history.ts';
import { historyChanges } from '../../../../domain/tracking/history-changes.ts';
import { type LocatedScan, scanKey, toSighting } from '../../../../domain/tracking/located-scan.ts';
import type { Move } from '../../../../domain/tracking/moves.ts';
import type { Position } from '../../../../domain/tracking/positions.ts';
import { withoutRetracted } from '../../../../domain/tracking/retractions/without-retracted.ts';
import type { Change } from '../../../../domain/tracking/revision.ts';
import type { Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import { type DatedSmoothing, SmoothingSettings } from '../../../../domain/tracking/smoothing/settings.ts';
import type { StoredTracking } from '../../../../domain/tracking/stored-tracking.ts';
import { touchedAssets } from '../../../../domain/tracking/touched.ts';
import { unsealedMoveOf } from '../../../../domain/tracking/update-histories.ts';
import type { FeedMove } from '../../../support/fold.ts';
import { aRead } from '../../../support/recording.ts';
import type { RandomRead } from './passing.ts';

/** Rows that one event tells of at most, fewer than there are, so that events have parts. */
const ROWS_OF_PART = 3;

const ORG = 1;
const ASSET = 1;

/** One asset as the recorder has it, but in memory: what is stored is looked up as plainly as can be. */
export class AssetInMemory {
  readonly #settings: SmoothingSettings;
  readonly #scans = new Map<string, LocatedScan>();
  /** Keys of scans, whether they have come or not. */
  readonly #takenBack = new Set<string>();
  #transitions: DecidedTransition[] = [];
  #position: Position = {
    orgId: ORG,
    assetId: ASSET,
    stay: null,
    lastSeen: null,
    isInFeed: true,
    lockedAt: 0,
    row: '',
  };

  /** What was told, in order. */
  readonly told: FeedMove[] = [];

  constructor(settings: readonly DatedSmoothing[]) {
    this.#settings = new SmoothingSettings(settings);
  }

  get history(): readonly DecidedTransition[] {
    return this.#transitions;
  }

  get position(): Position {
    return this.#position;
  }

  /** Without what was taken back. */
  get seen(): Seen[] {
    return [...this.#scans].flatMap(([key, scan]) => (this.#takenBack.has(key) ? [] : [toSeen(scan)]));
  }

  /** @returns the moves among them. */
  async record(batch: readonly RandomRead[]): Promise<readonly Move[]> {
    const stored = new Set(this.#scans.keys());
    const changed = new Map<string, LocatedScan>();
    for (const located of batch.map(locatedScan)) {
      const key = scanKey(located);
      const known = this.#scans.get(key);
      if (known === undefined || compareRssi(located.scan.rssi, known.scan.rssi) > 0) {
        this.#scans.set(key, located);
        if (!this.#takenBack.has(key)) {
          changed.set(key, located);
        }
      }
    }
    const { fresh = [], stronger = [] } = Object.groupBy(changed, ([key]) =>
      stored.has(key) ? 'stronger' : 'fresh',
    );
    const scans = (entries: readonly [string, LocatedScan][]) => entries.map(([, scan]) => scan);
    const touched = touchedAssets([this.#position], scans(fresh), scans(stronger));
    const moved: Move[] = [];
    const settings = new Map([[ORG, this.#settings]]);
    for (const change of await historyChanges(this.#stored(), touched, settings)) {
      this.#write(change);
      moved.push(...change.moves);
    }
    return moved;
  }

  #tell(change: Change): void {
    const move = unsealedMoveOf(change);
    if (move === null) {
      return;
    }
    const { stay, rows } = move;
    const now = { location_id: stay?.locationId ?? null, since: stay?.since ?? null };
    if (isMoved(move)) {
      const [row] = rows.added;
      this.told.push({
        kind: 'moved',
        ...now,
        duration_seconds: row?.durationSeconds ?? null,
        rows: null,
      });
      return;
    }
    for (const part of inParts(rows, ROWS_OF_PART)) {
      this.told.push({
        kind: 'corrected',
        ...now,
        duration_seconds: null,
        rows: JSON.parse(rowsAsJson(part)),
      });
    }
  }

  /** Takes reads back, also those that have not come yet. */
  async takeBack(reads: readonly RandomRead[]): Promise<void> {
    const located = new Map(reads.map(locatedScan).map((scan) => [scanKey(scan), scan.observedAt]));
    const gone = [...located].filter(([key]) => !this.#takenBack.has(key));
    const instants = gone.flatMap(([key, observedAt]) => (this.#scans.has(key) ? [observedAt] : []));
    for (const [key] of gone) {
      this.#takenBack.add(key);
    }
    if (instants.length > 0) {
      const retractions = [{ position: this.#position, instants }];
      const settings = new Map([[ORG, this.#settings]]);
      for (const change of await withoutRetracted(this.#stored(), retractions, settings)) {
        this.#write(change);
      }
    }
  }

  #write(change: Change): void {
    const { position, put, gone } = change;
    this.#tell(change);
    const replaced = new Set([...put, ...gone].map(({ observedAt }) => observedAt));
    this.#transitions = [...this.#transitions.filter(({ observedAt }) => !replaced.has(observedAt)), ...put];
    this.#transitions.sort((a, b) => a.observedAt - b.observedAt);
    this.#position = position;
  }

  #stored(): StoredTracking {
    const seen = this.seen.toSorted((a, b) => a.observedAt - b.observedAt);
    const within = (from: number, to: number) =>
      seen.filter(({ observedAt }) => observedAt >= from && observedAt <= to);
    const around = (from: number, to: number): DecidedTransition[] => {
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
        const spans = changed.map(({ observedAt: from }) => {
          const to = endOf(from);
          return { from, to, sightings: within(from, to) as Sighting[] };
        });
        const stored = new Map(
          spans.flatMap(({ from, to }) => around(from, to).map((row) => [row.observedAt, row] as const)),
        );
        const ordered = [...stored.values()].sort((a, b) => a.observedAt - b.observedAt);
        return new Map([[assetKey(this.#position), { spans, stored: ordered }]]);
      },
      lastBefore: async (instants, since) =>
        instants.map(({ observedAt }) => {
          const before = within(since, observedAt - 1);
          return before.filter((scan) => scan.observedAt === before.at(-1)?.observedAt);
        }),
      scans: async (stretches) => stretches.map(({ from, to }) => within(from, to)),
      transitions: async (stretches) => stretches.map(({ from, to }) => around(from, to)),
      scansAhead: async (stretches, count) =>
        stretches.map(({ to }) => {
          const ahead = within(to + 1, Number.POSITIVE_INFINITY);
          return (ahead[count - 1] ?? ahead.at(-1))?.observedAt ?? null;
        }),
    };
  }
}

function toSeen(located: LocatedScan): Seen {
  return { ...toSighting(located), isByPerson: located.scan.source.kind === 'handheld' };
}

function locatedScan({ location, at, rssi, isByPerson }: RandomRead): LocatedScan {
  const read = aRead({ orgId: ORG, readerId: location, value: 'CRATE', locationId: location, at, rssi });
  const source = { kind: 'handheld', handheldId: 1, submissionId: `${location} ${at}`, index: 0 } as const;
  return {
    orgId: ORG,
    assetId: ASSET,
    locationId: location,
    observedAt: at,
    tagValue: 'CRATE',
    timeIsReceived: false,
    scan: isByPerson ? { ...read, rssi: null, source } : read,
  };
}
