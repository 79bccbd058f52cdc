import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import {
  type RecomputedSoFar,
  recomputeOrganization,
} from '../../../domain/tracking/recompute/recompute-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  org: number;
  asset?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function addHistory(program: Command): void {
  addCommand(program, 'history', 'recompute')
    .description(
      'Recompute histories and current locations from the raw scans that are kept; older parts stay. ' +
        'Safe while readers publish. Ctrl-C stops it after the current asset; run it again to continue there.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .option('--asset <key>', 'only of this asset, by its external key')
    .option('--dry-run', 'show how much would change, without changing it')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} history recompute --org 1 --dry-run\n  ${TAGTRAIL} history recompute --org 1`,
    )
    .action((options: Options) =>
      withConnections(async ({ db, pool }) => {
        const { org: orgId, asset = null, dryRun: isDry = false } = options;
        await requireLiveOrganization(db, orgId);
        const assetId = asset === null ? null : await requireLiveByKey(db, 'asset', orgId, asset);
        const progress = showProgress();
        const { isFinished, ...done } = await withInterruption((signal) =>
          wakingSealer(pool, (onMoves) =>
            recomputeOrganization(pool, orgId, {
              assetId,
              isDry,
              signal,
              onProgress: (sofar) => progress.show(sayProgress(sofar)),
              onMoves,
            }),
          ),
        ).finally(() => progress.end());
        printResult({ json: shownRecomputed(done, isDry), text: describeRecomputed(done, isDry) }, options);
        if (!isFinished) {
          throw new AppError('unavailable', 'Interrupted; run it again to continue');
        }
      }),
    );
}

function shownRecomputed({ orgId, assets, changed, written, removed }: RecomputedSoFar, isDry: boolean) {
  return {
    org_id: orgId,
    dry_run: isDry,
    assets,
    assets_changed: changed,
    rows_written: written,
    rows_removed: removed,
  };
}

function sayProgress({ orgId, assets, of, changed }: RecomputedSoFar): string {
  return `Organization ${orgId}: recomputed ${assets} of ${of} histories, ${changed} changed`;
}

function describeRecomputed(
  { orgId, assets, changed, written, removed }: RecomputedSoFar,
  isDry: boolean,
): string {
  const would = isDry ? 'would change' : 'changed';
  return `Organization ${orgId}: ${changed} of ${assets} histories ${would}, ${written} rows written, ${removed} removed.`;
}
