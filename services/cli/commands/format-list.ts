import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  type ListedFormat,
  listBuiltinFormats,
  listFormats,
} from '../../../domain/administration/formats/list-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addFormatList(program: Command): void {
  addCommand(program, 'format', 'list')
    .description('List the formats readers can be registered with: the built-in ones and your own.')
    .option('--builtin', 'the built-in ones only; needs no database')
    .addHelpText(
      'after',
      `
JSON: an array of {name, builtin, description, identities, readers, fault}: by what tags can be known, how many
readers use it (null with --builtin), and why it cannot be used (null if it can).

Example:
  ${TAGTRAIL} format list`,
    )
    .action(async (options: { builtin?: true; json?: boolean }) => {
      const builtin = loadBuiltinFormats();
      const formats =
        options.builtin === true
          ? listBuiltinFormats(builtin)
          : await withConnections(({ db }) => listFormats(db, builtin));
      printResult({ json: formats.map(toJson), text: asTable(formats) }, options);
    });
}

function toJson({ name, isBuiltin, description, identities, readers, fault }: ListedFormat) {
  return { name, builtin: isBuiltin, description, identities, readers, fault };
}

function asTable(formats: readonly ListedFormat[]): string {
  return listTable(
    ['format', '', 'readers', ''],
    formats.map(({ name, isBuiltin, description, readers, fault }) => [
      name,
      isBuiltin ? 'built in' : 'your own',
      readers === null ? '-' : String(readers),
      fault === null ? description : `cannot be used: ${fault}`,
    ]),
  ).join('\n');
}
