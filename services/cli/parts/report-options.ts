import { type Command, InvalidArgumentError } from 'commander';
import { KEY_MAX_LENGTH, KEY_PATTERN } from '../../../base/checks/fields.ts';
import { toMicros } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import type { AssetFilters } from '../../../domain/reports/asset-filters.ts';
import { type Known, requireKnown } from '../../../domain/reports/known/known-at.ts';
import type { PlaceFilters } from '../../../domain/reports/places-during.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter, type Window, windowOf } from '../../../domain/reports/window.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { reportTime } from '../command-line/instants.ts';

export interface FilterOptions {
  asset?: string[];
  location?: string[];
  includeDescendants?: true;
  includeDeleted?: true;
}

export function addFilters(command: Command): Command {
  return command
    .option('--asset <key,key>', 'only these assets, by external key', keys)
    .option('--location <key,key>', 'only what was at one of these locations, by external key', keys)
    .option('--include-descendants', 'the locations below these too, by the tree as it was at each instant')
    .option('--include-deleted', 'rows too of assets that had been deleted by the end');
}

export function filtersOf({
  asset,
  location,
  includeDescendants,
  includeDeleted,
}: FilterOptions): AssetFilters & PlaceFilters {
  return {
    asset_external_key: asset,
    location_external_key: location,
    include_descendants: includeDescendants === true,
    include_deleted: includeDeleted === true,
  };
}

export interface WindowOptions {
  from: TimeBound;
  to: TimeBound;
}

export function addWindow(command: Command): Command {
  return command
    .requiredOption('--from <time>', 'when the window begins, RFC 3339', reportTime)
    .requiredOption(
      '--to <time>',
      'when it ends, itself not in it; at most two minutes later than now',
      reportTime,
    );
}

export function windowFrom({ from, to }: WindowOptions): Window {
  return windowOf(toMicros(from.instant), toMicros(to.instant));
}

export interface KnownOptions {
  knownAt?: TimeBound;
}

export function addKnownAt(command: Command): Command {
  return command.option(
    '--known-at <time>',
    'as it was known at this time, without what was recorded later; at most two minutes later than now',
    reportTime,
  );
}

/**
 * @param times by the names of their options, without dashes.
 * @throws Invalid for times that have not come, or of which nothing was known.
 */
export async function knownFrom(
  db: OrganizationConnection,
  { knownAt }: KnownOptions,
  times: Readonly<Record<string, TimeBound>>,
): Promise<Known | null> {
  const instants = Object.fromEntries(
    Object.entries(times).map(([name, { instant }]) => [name, toMicros(instant)]),
  );
  if (knownAt === undefined) {
    await requirePast(db, instants);
    return null;
  }
  return requireKnown(db, { at: toMicros(knownAt.instant), before: firstAfter(knownAt) }, instants);
}

function keys(text: string): string[] {
  const all = text.split(',').map((key) => key.trim());
  if (!all.every((key) => KEY_PATTERN.test(key) && key.length <= KEY_MAX_LENGTH)) {
    throw new InvalidArgumentError('It is external keys, with commas between.');
  }
  return all;
}
