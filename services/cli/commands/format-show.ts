import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { jsonForTerminal } from '../command-line/for-terminal.ts';
import { definitionOf } from '../parts/read-format.ts';

export function addFormatShow(program: Command): void {
  addCommand(program, 'format', 'show')
    .description('Print the definition of a format, to look at or to copy. A built-in one needs no database.')
    .argument('<format>', 'its name')
    .addHelpText(
      'after',
      `
JSON: the definition, as \`format add\` takes it.

Example:
  ${TAGTRAIL} format show ingics > my-gateway.json`,
    )
    .action(async (name: string, options: { json?: boolean }) => {
      const definition = (await definitionOf(name)) as object;
      printResult({ json: definition, text: jsonForTerminal(definition) }, options);
    });
}
