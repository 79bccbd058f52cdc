import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { exportAssets } from '../../api/imports/export-assets.ts';
import { AppError, messageOf } from '../../shared/errors.ts';
import { addCommand, id } from '../command-line.ts';
import { withOrganization } from '../database.ts';
import { progressOn } from '../progress.ts';

interface Options {
  org: number;
  file?: string;
  json?: boolean;
}

export function addExportAssets(program: Command): void {
  addCommand(program, 'export', 'assets')
    .description('Write every live asset as CSV, in the columns that import assets reads.')
    .requiredOption('--org <id>', 'the organization', id)
    .option('--file <file>', 'where to; standard output if left out')
    .addHelpText(
      'after',
      `
With --json and no --file, the CSV is the text "csv" of the document.

Examples:
  npx --no -- tagtrail export assets --org 1 > assets.csv
  npx --no -- tagtrail export assets --org 1 --file assets.csv`,
    )
    .action((options: Options) =>
      options.file === undefined
        ? writeToOutput(options.org, options.json === true)
        : writeToFile(options.org, options.file, options.json === true),
    );
}

async function writeToOutput(orgId: number, isJson: boolean): Promise<void> {
  const encode = isJson ? (text: string) => JSON.stringify(text).slice(1, -1) : (text: string) => text;
  let count = 0;
  await withOrganization(orgId, async (db) => {
    await write(isJson ? '{"csv":"' : '');
    for await (const { text, assets } of exportAssets(db)) {
      await write(encode(text));
      count += assets;
    }
  });
  await write(isJson ? `","assets":${count}}\n` : '');
}

/** Waits while whoever reads is slower. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function writeToFile(orgId: number, path: string, isJson: boolean): Promise<void> {
  const progress = progressOn(process.stderr);
  let count = 0;
  await withOrganization(orgId, async (db) => {
    const file = await open(path, 'w').catch((error: unknown) => {
      throw new AppError('invalid_input', `--file cannot be written: ${messageOf(error)}`);
    });
    try {
      for await (const { text, assets } of exportAssets(db)) {
        await file.write(text);
        count += assets;
        progress.show(`${count} assets`);
      }
    } finally {
      await file.close();
      progress.end();
    }
  });
  await write(isJson ? `${JSON.stringify({ file: path, assets: count })}\n` : `${count} assets in ${path}\n`);
}
