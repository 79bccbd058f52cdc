import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import { addCommand, type Command, examples, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { describeRecomputed, interrupted, recomputeShowing, shownRecomputed } from '../parts/recompute.ts';

interface Options {
  org: number;
  asset?: string;
  dryRun?: boolean;
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
    .addHelpText(...examples('history recompute --org 1 --dry-run', 'history recompute --org 1'))
    .action((options: Options) =>
      withConnections(async ({ db, pool }) => {
        const { org: orgId, asset = null, dryRun: isDry = false } = options;
        await requireLiveOrganization(db, orgId);
        const assetId = asset === null ? null : await requireLiveByKey(db, 'asset', orgId, asset);
        const { isFinished, ...done } = await recomputeShowing(pool, orgId, { assetId, isDry });
        printResult({ json: shownRecomputed(done, isDry), text: describeRecomputed(done, isDry) });
        if (!isFinished) {
          throw interrupted('run it again to continue');
        }
      }),
    );
}
