import type { Command } from 'commander';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { type StoredFormat, storeFormat } from '../../../domain/administration/formats/store-format.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { rethrowAsFileFault } from '../files/file-fault.ts';
import { readFormatFile } from '../parts/read-format.ts';

export function addFormatAdd(program: Command): void {
  addCommand(program, 'format', 'add')
    .description(
      'Add a format of your own, or replace the one of that name. It is the same for all organizations; its readers are read by it from then on.',
    )
    .requiredOption('--file <file>', 'its definition in JSON; - for standard input')
    .addHelpText(
      'after',
      `
A built-in format cannot be replaced. Try the file on a payload first: ${TAGTRAIL} format try --format-file F.json ...
JSON: {name, result, readers}: the result is "added", "replaced" or "unchanged", and so many readers use it.

Example:
  ${TAGTRAIL} format add --file my-gateway.json`,
    )
    .action(async (options: { file: string; json?: boolean }) => {
      const format = await readFormatFile(options.file);
      const stored = await withConnections(({ db, actor }) =>
        storeFormat(db, actor, loadBuiltinFormats(), format),
      ).catch(rethrowAsFileFault);
      await heardEverywhere();
      printResult({ json: { name: format.name, ...stored }, text: said(format.name, stored) }, options);
    });
}

function said(name: string, { result, readers }: StoredFormat): string {
  const use =
    readers === 0
      ? `Next: ${TAGTRAIL} reader create --format ${name} ...`
      : `${readers} ${readers === 1 ? 'reader uses' : 'readers use'} it.`;
  return `Format ${name} ${result}. ${use}`;
}
