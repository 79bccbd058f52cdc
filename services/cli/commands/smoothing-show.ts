import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { type LatestSmoothing, listSmoothing } from '../../../domain/tracking/smoothing/list-smoothing.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { shownTime } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { described } from '../parts/smoothing-options.ts';

export function addSmoothingShow(program: Command): void {
  addCommand(program, 'smoothing', 'show')
    .description(
      "Show when moves count: the organization's setting, and those of locations that have their own.",
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} smoothing show --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const latest = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listSmoothing(db, options.org);
      });
      const rows = latest.map(toRow);
      printResult(
        { json: rows, text: rows.length === 0 ? 'off, every scan counts' : asTable(rows) },
        options,
      );
    });
}

function toRow(latest: LatestSmoothing) {
  return {
    location_external_key: latest.location_external_key,
    mode: latest.mode,
    window_seconds: latest.window_seconds,
    min_seconds: latest.min_seconds,
    margin_db: latest.margin_db,
    valid_from: shownTime(latest.valid_from),
  };
}

function asTable(rows: readonly ReturnType<typeof toRow>[]): string {
  return listTable(
    ['location', 'since', 'setting'],
    rows.map((row) => [row.location_external_key ?? 'organization', row.valid_from, described(row)]),
  ).join('\n');
}
