import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Keyed } from '../api/external-keys/mint.ts';
import { exportFile } from '../api/imports/export-file.ts';
import { AppError, messageOf } from '../shared/errors.ts';
import { addCommand, id } from './command-line.ts';
import { withOrganization } from './database.ts';
import { progressOn } from './progress.ts';

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
    .option('--file <file>', 'where to; standard output if left out')
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
        ? writeToOutput(resource, org, json === true)
        : writeToFile(resource, org, file, json === true),
    );
}

async function writeToOutput(resource: Keyed, orgId: number, isJson: boolean): Promise<void> {
  const encode = isJson ? (text: string) => JSON.stringify(text).slice(1, -1) : (text: string) => text;
  let count = 0;
  await withOrganization(orgId, async (db) => {
    await write(isJson ? '{"csv":"' : '');
    for await (const { text, rows } of exportFile(db, resource)) {
      await write(encode(text));
      count += rows;
    }
  });
  await write(isJson ? `","${PLURAL[resource]}":${count}}\n` : '');
}

/** Waits while whoever reads is slower. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function writeToFile(resource: Keyed, orgId: number, path: string, isJson: boolean): Promise<void> {
  const progress = progressOn(process.stderr);
  let count = 0;
  await withOrganization(orgId, async (db) => {
    const file = await open(path, 'w').catch((error: unknown) => {
      throw new AppError('invalid_input', `--file cannot be written: ${messageOf(error)}`);
    });
    try {
      for await (const { text, rows } of exportFile(db, resource)) {
        await file.write(text);
        count += rows;
        progress.show(`${count} ${PLURAL[resource]}`);
      }
    } finally {
      await file.close();
      progress.end();
    }
  });
  await write(
    isJson
      ? `${JSON.stringify({ file: path, [PLURAL[resource]]: count })}\n`
      : `${count} ${PLURAL[resource]} in ${path}\n`,
  );
}
