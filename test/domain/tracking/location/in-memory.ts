import { aroundLate, NOTHING_CHANGES } from '../../../../domain/tracking/around-late.ts';
import { inParts, isMoved, rowsAsJson } from '../../../../domain/tracking/feed/unsealed-move.ts';
import { assetKey } from '../../../../domain/tracking/history/asset-ref.ts';
import {
  compareRssi,
  type DecidedTransition,
  type Sighting,
} from '../../../../domain/tracking/history/history.ts';
import type { ObservedPosition } from '../../../../domain/tracking/history/metric-position.ts';
import type { Neighbourhood } from '../../../../domain/tracking/history/revise.ts';
import { type Change, historyChanges } from '../../../../domain/tracking/history-changes.ts';
import { type LocatedScan, scanKey, toSighting } from '../../../../domain/tracking/located-scan.ts';
import { RecentHearings } from '../../../../domain/tracking/location/recent-hearings.ts';
import type { DatedSetting, Site } from '../../../../domain/tracking/location/site.ts';
import type { Seen } from '../../../../domain/tracking/location/stated-locations.ts';
import type { Move } from '../../../../domain/tracking/moves.ts';
import type { Near } from '../../../../domain/tracking/near-scans.ts';
import {
  isNewest,
  type Position,
  type Touched,
  touchedAssets,
} from '../../../../domain/tracking/positions.ts';
import { withoutRetracted } from '../../../../domain/tracking/retractions/without-retracted.ts';
import type { StoredTracking } from '../../../../domain/tracking/stored-tracking.ts';
import { unsealedMoveOf } from '../../../../domain/tracking/update-histories.ts';
import type { FeedMove } from '../../../support/fold.ts';
import { aRead } from '../../../support/recording.ts';
import { siteWith } from '../../../support/statements.ts';
import type { RandomRead } from './passing.ts';

/** Rows that one event tells of at most, fewer than there are, so that events have parts. */
const ROWS_OF_PART = 3;

const SECONDS_5 = 5_000_000;

const ORG = 1;
const ASSET = 1;

/** One asset as the recorder has it, but in memory: what is stored is looked up as plainly as can be. */
export class AssetInMemory {
  readonly site: Site;
  /** Without the organization if nothing has to be proven, as the recorder reads them. */
  readonly #sites: ReadonlyMap<number, Site>;
  readonly #scans = new Map<string, LocatedScan>();
  /** Keys of scans, whether they have come or not. */
  readonly #takenBack = new Set<string>();
  #transitions: DecidedTransition[] = [];
  #position: Position = {
    orgId: ORG,
    assetId: ASSET,
    stay: null,
    lastSeen: null,
    positionAt: null,
    lockedAt: 0,
    row: '',
    writer: '0',
    transaction: '1',
  };

  /** How often scans were loaded. */
  loads = 0;

  /** How often it was found to be read often around new scans. */
  dense = 0;

  /** Late scans that were worked in by what was found around them before they were stored. */
  around = 0;

  /** Of those, the ones of which nothing was computed. */
  within = 0;

  /** What was told, in order. */
  readonly told: FeedMove[] = [];

  /** Its newest position on the plan. */
  newest: ObservedPosition | null = null;

  readonly #recent: RecentHearings | undefined;

  /** @param isRemembering as ingestion does. */
  constructor(settings: readonly DatedSetting[], isRemembering = false) {
    this.#recent = isRemembering ? new RecentHearings() : undefined;
    this.site = siteWith(settings);
    this.#sites = new Map(Number.isFinite(this.site.since) ? [[ORG, this.site]] : []);
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
    const given = batch.map(locatedScan);
    const near = this.#near(given);
    const changed = new Map<string, LocatedScan>();
    for (const located of given) {
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
    const tracking: StoredTracking = { ...this.#stored(), around: (asset) => this.#around(asset, near) };
    for (const change of await historyChanges(tracking, touched, this.#sites, this.#recent)) {
      this.#write(change);
      moved.push(...change.moves);
    }
    return moved;
  }

  /** Of late scans, before they are stored. Of a scan only what the recorder loads. */
  #near(scans: readonly LocatedScan[]): ReadonlyMap<LocatedScan, Near> {
    const stored = [...this.#scans].toSorted(([, a], [, b]) => a.observedAt - b.observedAt);
    const late = scans.filter(({ observedAt }) => !isNewest(this.#position, observedAt));
    const beforeOf = (at: number) => this.#transitions.findLast(({ observedAt }) => observedAt <= at);
    const isWithin = ({ observedAt: at, locationId }: LocatedScan) => {
      const before = beforeOf(at);
      return before?.locationId === locationId && before.observedAt < at;
    };
    const isAsKnown = late.every(isWithin);
    return new Map(
      late.map((scan): [LocatedScan, Near] => {
        const { observedAt: at } = scan;
        const before = beforeOf(at);
        const transitions =
          before !== undefined && (before.locationId === scan.locationId || before.observedAt === at)
            ? []
            : this.#transitions.filter(({ observedAt }) => observedAt >= at).slice(0, 2);
        const last = transitions[1]?.observedAt ?? this.#position.lastSeen ?? at;
        return [
          scan,
          {
            isAsKnown,
            scans: stored
              .filter(([, { observedAt }]) => !isAsKnown && observedAt >= at && observedAt <= last)
              .slice(0, 2)
              .map(([key, each]) => ({ ...toSighting(each), isRetracted: this.#takenBack.has(key) })),
            before: before === undefined ? null : { locationId: before.locationId, since: before.observedAt },
            transitions,
          },
        ];
      }),
    );
  }

  #around(asset: Touched, near: ReadonlyMap<LocatedScan, Near>): Neighbourhood | null {
    const found = aroundLate(asset, near);
    this.around += found === null ? 0 : 1;
    this.within += found === NOTHING_CHANGES ? 1 : 0;
    return found;
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
      for (const change of await withoutRetracted(this.#stored(), retractions, this.#sites)) {
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
    const { newest, ...rest } = position;
    this.newest = newest === undefined ? this.newest : newest;
    this.#position = {
      ...rest,
      positionAt: this.newest?.observedAt ?? null,
      writer: rest.transaction,
      transaction: String(Number(rest.transaction) + 1),
    };
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
      decided: () => {},
      around: () => null,
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
      scans: async (stretches) => {
        this.loads += 1;
        return stretches.map(({ from, to }) => within(from, to));
      },
      transitions: async (stretches) => stretches.map(({ from, to }) => around(from, to)),
      areDense: async (stretches) =>
        stretches.map(({ from, to }) => {
          const ends = Array.from(
            { length: Math.ceil((to - from) / SECONDS_5) },
            (_, n) => to - n * SECONDS_5,
          );
          const isDense = ends.every((end) => {
            const reads = within(end - SECONDS_5 + 1, end).filter(
              ({ scan }) => scan?.source.kind === 'reader',
            );
            const byLocation = Map.groupBy(reads, ({ locationId }) => locationId);
            return [...byLocation.values()].some(({ length }) => length >= 5);
          });
          this.dense += Number(isDense);
          return isDense;
        }),
      heard: async (stretches) =>
        stretches.map(({ from, to }) => {
          const times: { from: number; to: number }[] = [];
          for (const { observedAt } of within(from, to)) {
            const last = times.at(-1);
            if (last !== undefined && observedAt <= last.to + 60_000_000) {
              last.to = observedAt;
            } else {
              times.push({ from: observedAt, to: observedAt });
            }
          }
          return times;
        }),
      scansAhead: async (stretches, count) =>
        stretches.map(({ to }) => {
          const ahead = within(to + 1, Number.POSITIVE_INFINITY);
          return (ahead[count - 1] ?? ahead.at(-1))?.observedAt ?? null;
        }),
    };
  }
}

function toSeen(located: LocatedScan): Seen {
  const sighting = toSighting(located);
  return { ...sighting, scan: sighting.scan as Seen['scan'] };
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
