import { toMicros } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type Known, requireKnown } from '../../../domain/reports/known/known-at.ts';
import { requirePast, type Times } from '../../../domain/reports/require-past.ts';
import { firstAfter, type Window, windowOf } from '../../../domain/reports/window.ts';
import {
  anyOf,
  booleanFilter,
  described,
  idFilter,
  keyFilter,
  mandatory,
  type TimeBound,
  timeBound,
} from '../../../platform/http/parameters.ts';

export const KNOWN_AT = {
  known_at: described(
    timeBound,
    'As known at this instant: the answer without anything recorded later; at most two minutes after now. Refused before the feed of moves begins.',
    '2026-06-02T00:00:00Z',
  ),
};

/** Parameters that reports about the past share. */
export const ASSETS = {
  asset_id: described(anyOf(idFilter), 'Only these assets.', [17, 18]),
  asset_external_key: described(anyOf(keyFilter), 'Only these assets.', ['PALLET-17']),
};

export const PLACES = {
  location_id: described(anyOf(idFilter), 'Only stays or assets at one of these locations.', [4]),
  location_external_key: described(anyOf(keyFilter), 'Only stays or assets at one of these locations.', [
    'DOCK-1',
  ]),
  include_descendants: described(
    booleanFilter(false),
    'The locations below these too, at each instant by the tree as it was then. Without a location it changes nothing.',
  ),
};

export const AT = {
  at: described(
    mandatory(timeBound),
    'The instant asked about; at most two minutes later than now, because devices may date history so far ahead. In milliseconds, it includes all that is shown as that instant.',
    '2026-05-04T12:00:00Z',
  ),
};

export const WINDOW = {
  from: described(
    mandatory(timeBound),
    'When the window begins. It is cut to milliseconds.',
    '2026-05-01T00:00:00Z',
  ),
  to: described(
    mandatory(timeBound),
    'When the window ends, itself not in it; at most two minutes later than now. It is cut to milliseconds.',
    '2026-06-01T00:00:00Z',
  ),
};

export const EXCLUSIVE = [
  ['asset_id', 'asset_external_key'],
  ['location_id', 'location_external_key'],
] as const;

export function windowFrom({ from, to }: { from: TimeBound; to: TimeBound }): Window {
  return windowOf(toMicros(from.instant), toMicros(to.instant));
}

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
