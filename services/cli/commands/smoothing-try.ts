import type { Command } from 'commander';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import type { Setting } from '../../../domain/tracking/smoothing/require-smoothing.ts';
import { type Pair, PairTally } from '../../../domain/tracking/smoothing/tally-pairs.ts';
import {
  locationKeys,
  recordedPeriod,
  type TriedAsset,
  tryOnAssets,
} from '../../../domain/tracking/smoothing/try-on-assets.ts';
import type { TriedMove } from '../../../domain/tracking/smoothing/try-smoothing.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import { type SmoothingOptions, smoothingOf, withSmoothingOptions } from '../parts/smoothing-options.ts';
import {
  MOST_MOVES,
  type ShownMove,
  type ShownPair,
  shownTrial,
  withTotals,
} from '../parts/smoothing-trial.ts';

interface Options extends SmoothingOptions {
  org: number;
  location?: string;
  from?: Micros;
  to?: Micros;
  asset?: string;
  json?: boolean;
}

const EXAMPLE = `
What it prints begins like this:

  From 2026-05-01T06:00:00.000Z to 2026-05-01T18:00:00.000Z: 46 moves now, 9 then;
  38 would disappear, 1 would appear (1 of them dated anew). Nothing was changed.

  from    to      now  kept  dated anew  removed  added  then
  ------  ------  ---  ----  ----------  -------  -----  ----
  DOCK-1  DOCK-2   23     4           1       18      0     5
  DOCK-2  DOCK-1   23     4           0       19      0     4`;

export function addSmoothingTry(program: Command): void {
  withSmoothingOptions(
    addCommand(program, 'smoothing', 'try')
      .description(
        'Try a setting on the recorded scans, as if it had always held: first how many moves from one location to ' +
          'another it would keep, date anew, remove and add, then which. Nothing is stored.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', "as this location's own setting, by its external key"),
  )
    .option(
      '--from <time>',
      'moves from this time on, RFC 3339; without this from the first recorded scan',
      time,
    )
    .option('--to <time>', 'moves up to this time, RFC 3339; without this to the last recorded scan', time)
    .option('--asset <key>', 'of this asset only, by its external key')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} smoothing try --org 1 --window 30 --min-seconds 5` +
        `\n  ${TAGTRAIL} smoothing try --org 1 --location DOCK-2 --window 60 --margin-db 8 --from 2026-05-01T06:00:00Z` +
        `\n${EXAMPLE}`,
    )
    .action(async (options: Options) => {
      const smoothing = smoothingOf(options);
      await withConnections(async ({ pool }) => {
        const client = await pool.connect();
        try {
          await tryOn(client, options, smoothing);
        } finally {
          client.release();
        }
      });
    });
}

/** Holds all findings, at most {@link MOST_MOVES}, because the summary precedes the list. */
async function tryOn(client: Client, options: Options, smoothing: Setting['smoothing']): Promise<void> {
  const { org: orgId, location = null, asset = null } = options;
  await requireLiveOrganization(client, orgId);
  const locationId = location === null ? null : await requireLiveByKey(client, 'location', orgId, location);
  const assetId = asset === null ? null : await requireLiveByKey(client, 'asset', orgId, asset);
  const recorded = await recordedPeriod(client, orgId);
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const period = { from: options.from ?? recorded?.from ?? now, to: options.to ?? recorded?.to ?? now };
  const trial = { orgId, locationId, smoothing, period, assetId };
  const tally = new PairTally();
  const listed: ListedMove[] = [];
  let leftOut = 0;
  for await (const tried of tryOnAssets(client, trial)) {
    tally.add(tried);
    for (const move of changesOf(tried)) {
      if (listed.length < MOST_MOVES) {
        listed.push(move);
      } else {
        leftOut += 1;
      }
    }
  }
  const pairs = tally.pairs();
  const keys = await locationKeys(
    client,
    orgId,
    [...pairs, ...listed].flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId]),
  );
  const keyOf = (locationId: number) => keys.get(locationId) ?? String(locationId);
  printResult(
    shownTrial(
      { orgId, from: shownTime(period.from), to: shownTime(period.to) },
      { pairs: pairs.map((pair) => shownPair(pair, keyOf)), others: tally.others() },
      { moves: listed.map((move) => shownMove(move, keyOf)), leftOut },
    ),
    options,
  );
}

type ListedMove = TriedMove & { change: ShownMove['change']; asset: string };

function changesOf({ disappearing, appearing, externalKey: asset }: TriedAsset): ListedMove[] {
  return [
    ...disappearing.map((move) => ({ ...move, asset, change: 'disappears' as const })),
    ...appearing.map((move) => ({ ...move, asset, change: 'appears' as const })),
  ].toSorted((a, b) => a.observedAt - b.observedAt);
}

function shownMove(move: ListedMove, keyOf: (locationId: number) => string): ShownMove {
  return {
    change: move.change,
    asset_external_key: move.asset,
    observed_at: shownTime(move.observedAt),
    from_location_external_key: keyOf(move.fromLocationId),
    to_location_external_key: keyOf(move.toLocationId),
  };
}

function shownPair(pair: Pair, keyOf: (locationId: number) => string): ShownPair {
  const { fromLocationId, toLocationId, ...counts } = pair;
  return {
    from_location_external_key: keyOf(fromLocationId),
    to_location_external_key: keyOf(toLocationId),
    ...withTotals(counts),
  };
}
