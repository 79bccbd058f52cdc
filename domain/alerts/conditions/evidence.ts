import { TooMuchWork } from '../../../base/errors.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { LastingKind } from '../../tracking/reading-bound.ts';

/** The most rows of one kind of evidence to read for assets looked at together. */
export const MOST_PIECES = 200_000;

/** Everything about an asset that decides when conditions held for it. Lists are in order. */
export interface AssetEvidence {
  assetId: number;
  /** When it was deleted; infinity if it was not. */
  until: Micros;
  /** Its stays; the first may have begun before the window, the last is infinite. */
  stays: readonly Stay[];
  unread: readonly Unread[];
  missedBy: readonly MissedSweep[];
  /** Values of its metadata, by the key of a path (`pathKey`); only for paths that rules name. */
  described: ReadonlyMap<string, readonly DatedText[]>;
  /** Values that pass bounds of rules; only of kinds that rules name. */
  measured?: ReadonlyMap<LastingKind, Measured>;
  /** By rule, the stretches found while their evidence was still read. */
  known?: ReadonlyMap<string, readonly KnownAlert[]>;
}

/** An overdue stretch that only a later read can have ended. */
export interface KnownAlert {
  since: Micros;
  /** Null if the alert is not over. */
  until: Micros | null;
  /** Null if it was not missing by `asOf`. */
  missingSince: Micros | null;
  /** Later evidence is read again. */
  asOf: Micros;
}

export interface Measured {
  tags: readonly MeasuredTag[];
  /** Earlier evidence is no longer kept, or is too much. */
  since: Micros;
}

export interface MeasuredTag {
  tagId: number;
  /** When it was taken off; infinity if it was not. */
  until: Micros;
  /** The number of readings that the pieces were chosen from. */
  looked: number;
  /** There are more readings before the first piece than are looked at. */
  isCut: boolean;
  /** Each on another side of a bound than the one before, in order. */
  pieces: readonly { at: Micros; value: number }[];
}

export interface Stay extends Interval {
  locationId: number;
}

/** Between two reads, wherever they were; infinite after the last. Short ones are left out. */
export type Unread = Interval;

/** A sweep of a location that expected the asset and did not find it. */
export interface MissedSweep extends Interval {
  sweepId: string;
  locationId: number;
}

/** Null without a value, or with more than one. */
export interface DatedText extends Interval {
  text: string | null;
}

/** Everything about a reader, by the service's clock. */
export interface ReaderEvidence {
  readerId: number;
  /** When it was deleted; infinity if it was not. */
  until: Micros;
  /** When it was silent or disconnected; infinite if not over. They may overlap. */
  spans: readonly (Interval & { state: 'silent' | 'disconnected' })[];
}

/** The key of a path into metadata. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** The stay at an instant. */
export function stayAt(stays: readonly Stay[], at: Micros): Stay | undefined {
  const next = firstIndex(0, stays.length, (index) => (stays[index] as Stay).since > at);
  const stay = stays[next - 1];
  return stay !== undefined && at < stay.until ? stay : undefined;
}

/** @throws TooMuchWork */
export function boundPieces(count: number): void {
  if (count > MOST_PIECES) {
    throw new TooMuchWork(
      `more than ${MOST_PIECES} pieces of evidence; look at fewer assets, or a shorter time`,
    );
  }
}
