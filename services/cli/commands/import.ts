import { createReadStream, statSync } from 'node:fs';
import { AppError, messageOf } from '../../../base/errors.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import type { CsvSource } from '../../../domain/master-data/imports/csv.ts';
import { CSV_COLUMNS } from '../../../domain/master-data/imports/given-row.ts';
import { importFile } from '../../../domain/master-data/imports/import-file.ts';
import { FILE_LIMIT, issuesOfFile, type RowIssue } from '../../../domain/master-data/imports/read-rows.ts';
import type { ImportReport, RowChange } from '../../../domain/master-data/imports/report.ts';
import { addCommand, type Command, type CommandResult, id } from '../command-line/command-line.ts';
import { withOrganization } from '../connections/database.ts';
import { FileFault } from '../files/read-file.ts';
import { showProgress } from '../running/running.ts';

export function addImports(program: Command): void {
  addImportAssets(program);
  addImportLocations(program);
}

function addImportAssets(program: Command): void {
  addImport(program, 'asset', {
    description:
      'Create and update assets from a CSV file, all or nothing. A row whose external_key exists updates that asset; an empty cell leaves the value; tags are added, never detached.',
    cells: 'metadata is a JSON object.',
  });
}

function addImportLocations(program: Command): void {
  addImport(program, 'location', {
    description:
      'Create, update and move locations from a CSV file, all or nothing. A row whose external_key exists updates that location; an empty cell leaves the value, its parent too; tags are added, never detached.',
    cells:
      'parent_external_key is the key of the location directly above: one there is, or one of the file, on whichever line.',
  });
}

const COLUMNS = { asset: inLines(CSV_COLUMNS.asset), location: inLines(CSV_COLUMNS.location) };

function inLines(names: readonly string[]): string {
  return names
    .join(', ')
    .replace(/(.{1,76}(?:,|$)) ?/g, '  $1\n')
    .trimEnd();
}

interface ImportOptions {
  org: number;
  file: string;
  dryRun?: true;
}

interface Help {
  description: string;
  cells: string;
}

function addImport(program: Command, resource: Keyed, { description, cells }: Help): void {
  const noun = `${resource}s`;
  addCommand(program, 'import', noun)
    .description(description)
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--file <file>', 'the CSV file, UTF-8, at most 10 MiB and 50,000 rows')
    .option('--dry-run', 'show what would be created, updated and left alone, without changing it')
    .addHelpText(
      'after',
      `
Columns, in any order; only name is required:
${COLUMNS[resource]}

${cells}
Tags are written rfid:E28011600000020912345678;barcode:4006381333931.

Examples:
  ${TAGTRAIL} import ${noun} --org 1 --file ${noun}.csv --dry-run
  ${TAGTRAIL} import ${noun} --org 1 --file ${noun}.csv`,
    )
    .prints((options: ImportOptions) => imported(resource, options));
}

/** @throws FileFault with every fault of the file. */
async function imported(resource: Keyed, options: ImportOptions): Promise<CommandResult> {
  const source = sourceOf(options.file);
  const progress = showProgress();
  const outcome = await withOrganization(options.org, (db, actor) =>
    importFile(db, actor, resource, source, {
      isDryRun: options.dryRun === true,
      onProgress: (rows) => progress.show(`${rows} rows`),
    }),
  ).finally(() => progress.end());
  if (!outcome.isImported) {
    const more = outcome.leftOut === 0 ? '' : `\n… and ${outcome.leftOut} more`;
    const found = outcome.issues.map(lineOfIssue).join('\n');
    throw new FileFault(
      `${options.file}: nothing was imported\n${found}${more}`,
      issuesOfFile(outcome.issues),
      outcome.leftOut,
    );
  }
  return { json: outcome.report, text: textOf(outcome.report) };
}

/** @throws AppError `invalid_input` if there is no such file, or it is too large. */
function sourceOf(file: string): CsvSource {
  let bytes: number;
  try {
    const found = statSync(file);
    if (found.isDirectory()) {
      throw new Error(`${file} is a folder`);
    }
    bytes = found.size;
  } catch (error) {
    throw new AppError('invalid_input', `--file cannot be read: ${messageOf(error)}`);
  }
  if (bytes > FILE_LIMIT) {
    throw new FileFault(
      `${file} has ${bytes} bytes, and the most that can be imported at once is ${FILE_LIMIT}; split it`,
    );
  }
  return () => createReadStream(file);
}

/** `line 3, name: too_long: name must be at most 255 characters`. */
function lineOfIssue({ line, issue: { field, code, message } }: RowIssue): string {
  return `line ${line}, ${field}: ${code}: ${message}`;
}

function textOf(report: ImportReport): string {
  const { rows, created, updated, unchanged, changes, changes_left_out: leftOut } = report;
  const { respelled = [], respelled_left_out: moreRespelled = 0 } = report;
  return [
    ...(report.dry_run ? changes.flatMap(linesOf) : []),
    ...(report.dry_run && leftOut > 0 ? [`… and ${leftOut} more`] : []),
    ...respelled.map(
      ({ line, tag, as }) =>
        `line ${line}: tag ${tag} is left out: it is another spelling of ${as}, which the row has already`,
    ),
    ...(moreRespelled > 0 ? [`… and ${moreRespelled} more such tags`] : []),
    `${report.dry_run ? 'Nothing was changed. Of ' : ''}${rows} rows: ${created} ${
      report.dry_run ? 'would be created' : 'created'
    }, ${updated} ${report.dry_run ? 'would be updated' : 'updated'}, ${unchanged} unchanged`,
  ].join('\n');
}

function linesOf({ line, action, external_key, name, fields }: RowChange): string[] {
  return [
    `line ${line}: ${action} ${external_key ?? '(a new key)'}, ${name}`,
    ...fields.map(({ field, from, to }) => `  ${field}: ${writeJson(from)} -> ${writeJson(to)}`),
  ];
}
