import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Snapshot } from '../../../db/timescale/connections/snapshot.ts';
import { csvOf } from '../../../domain/reports/exports/csv.ts';
import { parquetOf } from '../../../domain/reports/exports/parquet.ts';
import { batchesOf, type ReportTable } from '../../../domain/reports/exports/report-table.ts';
import { addCommand, id, oneOf } from '../command-line/command-line.ts';
import { withOrganizationSnapshot } from '../connections/database.ts';
import { running } from '../running/running.ts';
import { writeExport } from './write-export.ts';

const WRITE: Record<'csv' | 'parquet', typeof csvOf> = { csv: csvOf, parquet: parquetOf };

interface ExportOptions {
  org: number;
  format: keyof typeof WRITE;
  file?: string;
  json?: boolean;
}

interface ReportExport<Options, Row extends { id: number | string }> {
  verb: string;
  description: string;
  /** What each row is, in the plural. */
  noun: string;
  /** Options of an example. */
  example: string;
  addOptions(command: Command): Command;
  /** @throws Invalid for wrong times. */
  table(snapshot: Snapshot, options: Options): Promise<ReportTable<Row>>;
}

export function addReportExport<Options, Row extends { id: number | string }>(
  program: Command,
  { verb, description, noun, example, addOptions, table }: ReportExport<Options, Row>,
): void {
  const command = addCommand(program, 'export', verb)
    .description(description)
    .requiredOption('--org <id>', 'the organization', id);
  addOptions(command)
    .option('--format <csv|parquet>', 'how it is written', oneOf('csv', 'parquet'), 'csv')
    .option('--file <file>', 'where to, complete or as it was; standard output if left out')
    .addHelpText(
      'after',
      `
Columns are the fields of the API's report, times in UTC. It is read as of one instant, whatever is recorded meanwhile, and
without a time limit. With --json and no --file, the CSV is the text "csv" of the document.

Examples:
  ${TAGTRAIL} export ${verb} --org 1 ${example} --file ${verb}.csv
  ${TAGTRAIL} export ${verb} --org 1 ${example} --format parquet --file ${verb}.parquet`,
    )
    .action((options: Options & ExportOptions) => {
      const { org, format, file, json } = options;
      if (format === 'parquet' && file === undefined && (json === true || running().streams.stdout.isTTY)) {
        throw new AppError('invalid_input', 'Parquet is no text: say where to with --file');
      }
      return writeExport({ noun, file, json }, (write, signal) =>
        withOrganizationSnapshot(org, signal, async (snapshot) => {
          const report = await table(snapshot, options);
          for await (const piece of WRITE[format](report.columns, batchesOf(snapshot, report))) {
            await write(piece);
          }
        }),
      );
    });
}
