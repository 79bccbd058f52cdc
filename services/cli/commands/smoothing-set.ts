import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setSmoothing } from '../../../domain/administration/smoothing/set-smoothing.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { shownTime } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import {
  described,
  type SmoothingOptions,
  shown,
  smoothingOf,
  withSmoothingOptions,
} from '../parts/smoothing-options.ts';

interface Options extends SmoothingOptions {
  org: number;
  location?: string;
  json?: boolean;
}

export function addSmoothingSet(program: Command): void {
  withSmoothingOptions(
    addCommand(program, 'smoothing', 'set')
      .description(
        'Say when a move counts, so that assets do not bounce between antennas whose ranges overlap. It holds for scans ' +
          'observed from now on; no history changes.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', 'for moves to this location only, by its external key'),
  )
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} smoothing set --org 1 --window 30 --min-seconds 5 --margin-db 8` +
        `\n  ${TAGTRAIL} smoothing set --org 1 --location DOCK-2 --off`,
    )
    .action(async (options: Options) => {
      const { org: orgId, location = null } = options;
      const smoothing = smoothingOf(options);
      const validFrom = await withConnections(({ db, actor }) =>
        setSmoothing(db, actor, { orgId, locationExternalKey: location, smoothing }),
      );
      const setting = shown(smoothing);
      printResult(
        {
          json: {
            org_id: orgId,
            location_external_key: location,
            ...setting,
            valid_from: shownTime(validFrom),
          },
          text: `${location ?? `Organization ${orgId}`}: ${described(setting)}; for scans observed from ${shownTime(validFrom)}`,
        },
        options,
      );
    });
}
