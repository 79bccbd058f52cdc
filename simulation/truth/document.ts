import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { milliseconds } from '../encoders/encoder.ts';
import type { Doubt } from './asset-truth.ts';
import type { Course } from './course.ts';
import type { PresenceDocument } from './presence-document.ts';
import type { ReaderCounts } from './reader-truth.ts';
import { isExact, type Span } from './span.ts';
import type { Truth } from './truth.ts';

/** The expected contents of the database after a run, stored in a file to compare with an installation. */
export interface TruthDocument {
  version: 1;
  org_id: number;
  run: RunDocument;
  assets: AssetDocument[];
  readers: ReaderDocument[];
  /** Null unless the site was watched continuously. */
  presence: PresenceDocument | null;
}

/** How the site was simulated. */
export interface RunDocument {
  prefix: string;
  formats: readonly string[];
  faults: readonly string[];
  seed: number;
  rate: number;
  speed: number;
  tolerance_seconds: number;
  started_at: string;
  ended_at: string;
  /** The settings of its locations; null if there never were any. */
  site_version: number | null;
}

/** Times are RFC 3339 in UTC with milliseconds; `..._latest` only where a time is a span. */
export interface AssetDocument {
  asset: string;
  /** Why it cannot be compared; null if it can. */
  undecided: Doubt | null;
  current: { location: string; last_seen: string; last_seen_latest?: string } | null;
  history: RowDocument[];
}

export interface RowDocument {
  at: string;
  at_latest?: string;
  location: string;
  /** Whole seconds; null on the first row. */
  duration_seconds: number | null;
  duration_seconds_most?: number;
}

export interface ReaderDocument extends ReaderCounts {
  reader: string;
  format: string;
  /** False if its connection broke: some messages may have been counted twice. */
  exact: boolean;
}

export function toDocument(
  truth: Truth,
  {
    orgId,
    formatOf,
    run,
    presence,
  }: {
    orgId: number;
    formatOf(reader: string): string;
    run: RunDocument;
    presence: PresenceDocument | null;
  },
): TruthDocument {
  return {
    version: 1,
    org_id: orgId,
    run,
    assets: [...truth.assets].map(([asset, known]) => {
      const { course, doubt } = known.conclude();
      return { asset, undecided: doubt, current: currentOf(course), history: rowsOf(course) };
    }),
    readers: [...truth.readers].map(([reader, { counts, isExact: exact }]) => ({
      reader,
      format: formatOf(reader),
      exact,
      ...counts,
    })),
    presence,
  };
}

function currentOf({ stays, lastSeen }: Course): AssetDocument['current'] {
  const last = stays.at(-1);
  if (last === undefined || lastSeen === null) {
    return null;
  }
  const { earliest, latest } = lastSeen;
  return {
    location: last.location,
    last_seen: milliseconds(earliest),
    ...(isExact(lastSeen) ? {} : { last_seen_latest: milliseconds(latest) }),
  };
}

function rowsOf({ stays }: Course): RowDocument[] {
  return stays.map(({ location, since }, index): RowDocument => {
    const before = stays[index - 1]?.since;
    return {
      at: milliseconds(since.earliest),
      ...(isExact(since) ? {} : { at_latest: milliseconds(since.latest) }),
      location,
      ...(before === undefined ? { duration_seconds: null } : durationOf(before, since)),
    };
  });
}

function durationOf(from: Span, to: Span) {
  const least = wholeSeconds(to.earliest - from.latest);
  const most = wholeSeconds(to.latest - from.earliest);
  return { duration_seconds: Math.max(0, least), ...(most > least ? { duration_seconds_most: most } : {}) };
}

function wholeSeconds(length: Micros): number {
  return Math.floor(length / MICROS_PER_SECOND);
}
