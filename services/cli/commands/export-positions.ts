import type { Command } from 'commander';
import { positionsTable } from '../../../domain/reports/exports/positions-table.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { reportTime } from '../command-line/instants.ts';
import { addReportExport } from '../parts/report-export-command.ts';
import {
  addFilters,
  addKnownAt,
  type FilterOptions,
  filtersOf,
  type KnownOptions,
  knownFrom,
} from '../parts/report-options.ts';

export function addExportPositions(program: Command): void {
  addReportExport(program, {
    verb: 'positions',
    description:
      'Write where every asset was at an instant, since when, and when it had been seen last by then.',
    noun: 'positions',
    example: '--at 2026-05-04T12:00:00Z',
    addOptions: (command) =>
      addFilters(
        addKnownAt(
          command.requiredOption(
            '--at <time>',
            'the instant, RFC 3339; at most two minutes later than now',
            reportTime,
          ),
        ),
      ),
    table: async (snapshot, options: { at: TimeBound } & KnownOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { at: options.at });
      return positionsTable(snapshot.orgId, firstAfter(options.at), known, filtersOf(options));
    },
  });
}
