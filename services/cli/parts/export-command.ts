import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { exportFile } from '../../../domain/master-data/imports/export-file.ts';
import type { Keyed } from '../../../domain/master-data/live-by-key.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, id } from '../command-line/command-line.ts';
import { progressOn } from '../command-line/progress.ts';
import { writeToOutput } from '../command-line/standard-output.ts';
import { withOrganization } from '../connections/database.ts';
import { replaceFile } from '../files/replace-file.ts';

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
  npx --no -- tagtrail export ${noun} --org 1 > ${noun}.csv
  npx --no -- tagtrail export ${noun} --org 1 --file ${noun}.csv`,
    )
    .action(({ org, file, json }: Options) =>
      file === undefined
        ? exportToOutput(resource, org, json === true)
        : exportToFile(resource, org, file, json === true),
    );
}

async function exportToOutput(resource: Keyed, orgId: number, isJson: boolean): Promise<void> {
  const encode = isJson ? (text: string) => JSON.stringify(text).slice(1, -1) : (text: string) => text;
  let count = 0;
  await withOrganization(orgId, async (db) => {
    await writeToOutput(isJson ? '{"csv":"' : '');
    for await (const { text, rows } of exportFile(db, resource)) {
      await writeToOutput(encode(text));
      count += rows;
    }
  });
  await writeToOutput(isJson ? `","${PLURAL[resource]}":${count}}\n` : '');
}

async function exportToFile(resource: Keyed, orgId: number, path: string, isJson: boolean): Promise<void> {
  const progress = progressOn(process.stderr);
  let count = 0;
  const exportTo = (signal: AbortSignal) =>
    withOrganization(orgId, (db) =>
      replaceFile(path, async (file) => {
        for await (const { text, rows } of exportFile(db, resource)) {
          if (signal.aborted) {
            throw new AppError('unavailable', `Interrupted; ${path} is as it was`);
          }
          await file.write(text);
          count += rows;
          progress.show(`${count} ${PLURAL[resource]}`);
        }
      }),
    );
  await withInterruption(exportTo).finally(() => progress.end());
  await writeToOutput(
    isJson
      ? `${JSON.stringify({ file: path, [PLURAL[resource]]: count })}\n`
      : `${count} ${PLURAL[resource]} in ${path}\n`,
  );
}
