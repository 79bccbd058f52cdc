import { AppError } from '../../base/errors.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { compileFormat, type Format, FormatError } from './mapping/format.ts';
import type { Policies } from './mapping/run.ts';
import { type PlacedFault, readSource } from './read-source.ts';

export interface Trying {
  source: string;
  topic: string;
  payload: Uint8Array;
}

export interface Tried {
  faults: PlacedFault[];
  /** Null of a format with faults. */
  run: DryRun | null;
}

/** The result of a format for a message. */
export interface TriedFormat {
  format: string;
  outcome: DryRun['outcome'];
  scans: number;
  ignored: number;
  rejected: number;
  /** The reason why the first invalid item is no scan; null if every item is one. */
  reason: string | null;
}

/** For a worker thread, which knows formats by their sources. */
interface TriedMessage {
  message: { topic: string; payload: Uint8Array };
  policies: Partial<Policies>;
}

export interface TryingFormats extends TriedMessage {
  sources: readonly string[];
}

export interface TryingFormat extends TriedMessage {
  source: string;
  /** Reads that are wanted. */
  most: number;
}

/**
 * Tries formats on a message, and stores nothing; the one that reads most of it comes first. For a worker thread: 64 KiB take
 * a format up to 8 ms.
 */
export function tryFormats({ sources, message, policies }: TryingFormats): TriedFormat[] {
  return sources
    .flatMap((source) => {
      const format = compiled(source);
      return format instanceof FormatError ? [] : inBrief(format, tried(format, message, policies));
    })
    .sort(bestFirst);
}

/** Tries one, likewise, and returns its first reads too. */
export function tryFormat({
  source,
  message,
  policies,
  most,
}: TryingFormat): TriedFormat & { reads: DryRun['scans'] } {
  const format = compiled(source);
  if (format instanceof FormatError) {
    const { name } = JSON.parse(source);
    return { ...inBrief({ name }, allRejected(format.message)), reads: [] };
  }
  const run = tried(format, message, policies);
  return { ...inBrief(format, run), reads: run.scans.slice(0, most) };
}

/** A stored format may be one of another version, and of no use in this. */
function compiled(source: string): Format | FormatError {
  try {
    return compileFormat(JSON.parse(source));
  } catch (error) {
    if (error instanceof FormatError) {
      return error;
    }
    throw error;
  }
}

/** {@link dryRun}; a format that lacks the identity which the policies ask for rejects every message. */
function tried(
  format: Format,
  { topic, payload }: TriedMessage['message'],
  policies: Partial<Policies>,
): DryRun {
  try {
    return dryRun(format, { topic, payload: Buffer.from(payload) }, policies);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input') {
      return allRejected(error.message);
    }
    throw error;
  }
}

function allRejected(reason: string): DryRun {
  return { outcome: 'rejected', scans: [], ignored: [], rejected: [{ item: null, reason, excerpt: null }] };
}

function inBrief({ name }: Pick<Format, 'name'>, { outcome, scans, ignored, rejected }: DryRun): TriedFormat {
  const reason = (rejected[0] ?? ignored[0])?.reason ?? null;
  return {
    ...{ format: name, outcome, reason },
    ...{ scans: scans.length, ignored: ignored.length, rejected: rejected.length },
  };
}

function bestFirst(one: TriedFormat, other: TriedFormat): number {
  return (
    other.scans - one.scans ||
    one.rejected - other.rejected ||
    other.ignored - one.ignored ||
    (one.format < other.format ? -1 : 1)
  );
}

/** The result of an unfinished format for a message. For a worker thread: either may be long. */
export function trySource({ source, topic, payload }: Trying): Tried {
  const format = readSource(source);
  return Array.isArray(format)
    ? { faults: format, run: null }
    : { faults: [], run: dryRun(format, { topic, payload: Buffer.from(payload) }) };
}
