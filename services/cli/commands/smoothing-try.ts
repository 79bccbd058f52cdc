import type { Command } from 'commander';
import type pg from 'pg';
import { MICROS_PER_MILLISECOND, type Micros } from '../../shared/instant.ts';
import type { Setting } from '../../shared/tracking/smoothing/setting.ts';
import {
  locationKeys,
  recordedPeriod,
  type TriedAsset,
  tryOnAssets,
} from '../../shared/tracking/smoothing/try-on-assets.ts';
import type { Move } from '../../shared/tracking/smoothing/try-smoothing.ts';
import { addCommand, id } from '../command-line.ts';
import { withConnections } from '../database.ts';
import { shownTime, time } from '../instants.ts';
import { type SmoothingOptions, smoothingOf, withSmoothingOptions } from '../smoothing-options.ts';
import { printerOf, type ShownMove, type Totals } from '../smoothing-trial.ts';

interface Options extends SmoothingOptions {
  org: number;
  location?: string;
  from?: Micros;
  to?: Micros;
  asset?: string;
  json?: boolean;
}

export function addSmoothingTry(program: Command): void {
  withSmoothingOptions(
    addCommand(program, 'smoothing', 'try')
      .description(
        'Try a setting on the recorded scans, as if it had always held: which moves would disappear, which would ' +
          'appear, how many would remain. Nothing is stored.',
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
      '\nExamples:\n  npx --no -- tagtrail smoothing try --org 1 --window 30 --min-seconds 5' +
        '\n  npx --no -- tagtrail smoothing try --org 1 --location DOCK-2 --window 60 --margin-db 8 --from 2026-05-01T06:00:00Z',
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

/** Prints asset by asset, so that memory does not grow with what is found. */
async function tryOn(
  client: pg.ClientBase,
  options: Options,
  smoothing: Setting['smoothing'],
): Promise<void> {
  const { org: orgId, location = null, asset = null, json: isJson = false } = options;
  const recorded = await recordedPeriod(client, orgId);
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const period = { from: options.from ?? recorded?.from ?? now, to: options.to ?? recorded?.to ?? now };
  const totals: Totals = { present: 0, proposed: 0, disappearing: 0, appearing: 0 };
  const printer = printerOf(isJson);
  const trial = {
    orgId,
    locationExternalKey: location,
    smoothing,
    period,
    assetExternalKey: asset,
  };
  for await (const tried of tryOnAssets(client, trial)) {
    totals.present += tried.present;
    totals.proposed += tried.proposed;
    totals.disappearing += tried.disappearing.length;
    totals.appearing += tried.appearing.length;
    for (const move of await shownMoves(client, orgId, tried)) {
      printer.move(move);
    }
  }
  printer.end(totals, { orgId, from: shownTime(period.from), to: shownTime(period.to) });
}

async function shownMoves(client: pg.ClientBase, orgId: number, tried: TriedAsset): Promise<ShownMove[]> {
  const { disappearing, appearing, externalKey } = tried;
  const moves = [...disappearing, ...appearing];
  if (moves.length === 0) {
    return [];
  }
  const keys = await locationKeys(
    client,
    orgId,
    moves.flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId]),
  );
  const keyOf = (locationId: number) => keys.get(locationId) ?? String(locationId);
  const show = (change: ShownMove['change']) => (move: Move) => ({
    change,
    asset_external_key: externalKey,
    observed_at: shownTime(move.observedAt),
    from_location_external_key: keyOf(move.fromLocationId),
    to_location_external_key: keyOf(move.toLocationId),
  });
  return [...disappearing.map(show('disappears')), ...appearing.map(show('appears'))].toSorted(
    (a, b) => Number(a.observed_at > b.observed_at) - Number(a.observed_at < b.observed_at),
  );
}
