import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { exportFile } from '../../../domain/master-data/imports/export-file.ts';
import type { Keyed } from '../../../domain/master-data/live-by-key.ts';
import { addCommand, id } from '../command-line/command-line.ts';
import { withOrganization } from '../connections/database.ts';
import { writeExport } from './write-export.ts';

interface Options {
  org: number;
  file?: string;
  json?: boolean;
}

const PLURAL = { asset: 'assets', location: 'locations' };

export function addExport(program: Command, resource: Keyed): void {
  const noun = PLURAL[resource];
  addCommand(program, 'export', noun)
    .description(`Write every live ${resource} as CSV, in the columns that import ${noun} reads.`)
    .requiredOption('--org <id>', 'the organization', id)
    .option('--file <file>', 'where to, complete or as it was; standard output if left out')
    .addHelpText(
      'after',
      `
With --json and no --file, the CSV is the text "csv" of the document.

Examples:
  ${TAGTRAIL} export ${noun} --org 1 > ${noun}.csv
  ${TAGTRAIL} export ${noun} --org 1 --file ${noun}.csv`,
    )
    .action(({ org, file, json }: Options) =>
      writeExport({ noun, file, json }, (write) =>
        withOrganization(org, async (db) => {
          for await (const { text, rows } of exportFile(db, resource)) {
            await write({ content: text, rows });
          }
        }),
      ),
    );
}
