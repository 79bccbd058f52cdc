import type { Command } from 'commander';
import { staysTable } from '../../../domain/reports/exports/stays-table.ts';
import { addReportExport } from '../parts/report-export-command.ts';
import {
  addFilters,
  addKnownAt,
  addWindow,
  type FilterOptions,
  filtersOf,
  type KnownOptions,
  knownFrom,
  type WindowOptions,
  windowFrom,
} from '../parts/report-options.ts';

export function addExportStays(program: Command): void {
  addReportExport(program, {
    verb: 'stays',
    description: 'Write every stay that overlaps a window of time, with its seconds inside.',
    noun: 'stays',
    example: '--from 2026-05-01T00:00:00Z --to 2026-06-01T00:00:00Z',
    addOptions: (command) => addFilters(addKnownAt(addWindow(command))),
    table: async (snapshot, options: WindowOptions & KnownOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { from: options.from, to: options.to });
      return staysTable(snapshot.orgId, windowFrom(options), known, filtersOf(options));
    },
  });
}
