import { type Command, InvalidArgumentError } from 'commander';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import { DWELL_GROUPS } from '../../../domain/reports/dwell/read-dwell.ts';
import { dwellTable } from '../../../domain/reports/exports/dwell-table.ts';
import { oneOf } from '../command-line/command-line.ts';
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

interface GroupOptions {
  groupBy: (typeof DWELL_GROUPS)[number];
  timeZone: string;
}

export function addExportDwell(program: Command): void {
  addReportExport(program, {
    verb: 'dwell',
    description: 'Write how long assets stayed in a window of time, by location, by asset or by day.',
    noun: 'groups',
    example: '--from 2026-05-01T00:00:00Z --to 2026-06-01T00:00:00Z --group-by asset',
    addOptions: (command) =>
      addFilters(
        addKnownAt(addWindow(command))
          .option(
            '--group-by <what>',
            `what a row sums up: ${DWELL_GROUPS.join(', ')}`,
            oneOf(...DWELL_GROUPS),
            'location',
          )
          .option('--time-zone <zone>', 'where days begin, such as Europe/Berlin', timeZone, 'UTC'),
      ),
    table: async (snapshot, options: WindowOptions & KnownOptions & GroupOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { from: options.from, to: options.to });
      return dwellTable(snapshot.orgId, windowFrom(options), known, {
        ...filtersOf(options),
        group_by: options.groupBy,
        time_zone: options.timeZone,
      });
    },
  });
}

function timeZone(name: string): string {
  const known = timeZoneNamed(name);
  if (known === null) {
    throw new InvalidArgumentError('It is a time zone of the IANA database, such as Europe/Berlin.');
  }
  return known;
}
