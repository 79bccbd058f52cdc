import type { Command } from 'commander';
import { type LatestSmoothing, listSmoothing } from '../../../domain/tracking/smoothing/list-smoothing.ts';
import { addCommand, id, tell } from '../command-line.ts';
import { withConnections } from '../database.ts';
import { shownTime } from '../instants.ts';
import { listTable } from '../list-table.ts';
import { described } from '../smoothing-options.ts';

export function addSmoothingShow(program: Command): void {
  addCommand(program, 'smoothing', 'show')
    .description(
      "Show when moves count: the organization's setting, and those of locations that have their own.",
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', '\nExample:\n  npx --no -- tagtrail smoothing show --org 1')
    .action(async (options: { org: number; json?: boolean }) => {
      const latest = await withConnections(async ({ pool }) => {
        const client = await pool.connect();
        try {
          return await listSmoothing(client, options.org);
        } finally {
          client.release();
        }
      });
      const rows = latest.map(toRow);
      tell({ json: rows, text: rows.length === 0 ? 'off, every scan counts' : asTable(rows) }, options);
    });
}

function toRow(latest: LatestSmoothing) {
  return {
    location_external_key: latest.locationExternalKey,
    mode: latest.mode,
    window_seconds: latest.windowSeconds,
    min_seconds: latest.minSeconds,
    margin_db: latest.marginDb,
    valid_from: shownTime(latest.validFrom),
  };
}

function asTable(rows: readonly ReturnType<typeof toRow>[]): string {
  return listTable(
    ['location', 'since', 'setting'],
    rows.map((row) => [row.location_external_key ?? 'organization', row.valid_from, described(row)]),
  ).join('\n');
}
