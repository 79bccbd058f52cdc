import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import type { Format } from './mapping/format.ts';
import type { Message, Policies } from './mapping/run.ts';

/** What a format would make of a message. */
export interface TriedFormat {
  format: string;
  outcome: DryRun['outcome'];
  scans: number;
  ignored: number;
  rejected: number;
  /** Why the first of what is no scan is none; null if every item is one. */
  reason: string | null;
}

/**
 * Tries formats on a message, and stores nothing; the one that reads most of it comes first. 64 KiB take a format up to
 * 8 ms, so other work gets its turn between two of them.
 */
export async function tryFormats(
  formats: Iterable<Format>,
  message: Message,
  policies: Partial<Policies> = {},
): Promise<TriedFormat[]> {
  const tried: TriedFormat[] = [];
  for (const format of formats) {
    tried.push(inBrief(format, tryFormat(format, message, policies)));
    await setImmediate();
  }
  return tried.sort(bestFirst);
}

/** {@link dryRun}; a format that lacks the identity which the policies ask for rejects every message. */
export function tryFormat(format: Format, message: Message, policies: Partial<Policies> = {}): DryRun {
  try {
    return dryRun(format, message, policies);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input') {
      const rejected = [{ item: null, reason: error.message, excerpt: null }];
      return { outcome: 'rejected', scans: [], ignored: [], rejected };
    }
    throw error;
  }
}

export function inBrief({ name }: Format, { outcome, scans, ignored, rejected }: DryRun): TriedFormat {
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
