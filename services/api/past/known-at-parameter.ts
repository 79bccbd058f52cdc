import { toMicros } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type Known, requireKnown } from '../../../domain/reports/known/known-at.ts';
import { requirePast, type Times } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { described, type TimeBound, timeBound } from '../../../platform/http/parameters.ts';

export const KNOWN_AT = {
  known_at: described(
    timeBound,
    'As known at this instant: the answer without anything recorded later; at most two minutes after now. Refused before the feed of moves begins.',
    '2026-06-02T00:00:00Z',
  ),
};

/** @throws Invalid for times later than now or than `known_at`, and for a `known_at` before all records. */
export async function knownOf(
  db: OrganizationConnection,
  knownAt: TimeBound,
  times: Times = {},
): Promise<Known> {
  return requireKnown(db, { at: toMicros(knownAt.instant), before: firstAfter(knownAt) }, times);
}

/** As {@link knownOf}; null without `known_at`. */
export async function knownIfAsked(
  db: OrganizationConnection,
  knownAt: TimeBound | undefined,
  times: Times,
): Promise<Known | null> {
  if (knownAt !== undefined) {
    return knownOf(db, knownAt, times);
  }
  await requirePast(db, times);
  return null;
}
