import { KEY_MAX_LENGTH, KEY_PATTERN } from '../../../base/checks/fields.ts';
import { AppError } from '../../../base/errors.ts';
import { addPrinter, listPrinters, type Printer, removePrinter } from '../../../domain/labels/printers.ts';
import { addCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withOrganization } from '../connections/database.ts';
import { printerNetworks } from './label.ts';

export function addPrinters(program: Command): void {
  addCommand(program, 'printer', 'add')
    .description('Add a printer that takes ZPL over TCP, within PRINTER_NETWORKS.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--name <name>', 'its name: letters, digits and hyphens')
    .requiredOption('--address <address>', 'its host, and a port from 9100 to 9109 if that is not 9100')
    .addHelpText(...examples('printer add --org 1 --name dock-2 --address 10.20.0.7'))
    .prints(async ({ org, name, address }: Printer & { org: number }) => {
      if (!KEY_PATTERN.test(name) || name.length > KEY_MAX_LENGTH) {
        throw new AppError('invalid_input', 'The name must be of letters, digits and hyphens, 255 at most');
      }
      const added = await withOrganization(org, (db, actor) =>
        addPrinter(db, actor, { name, address }, printerNetworks()),
      );
      return { json: added, text: `Labels can be printed on ${name}.` };
    });
  addCommand(program, 'printer', 'list')
    .description('List the printers.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('printer list --org 1'))
    .prints(async ({ org }: { org: number }) => {
      const printers = await withOrganization(org, listPrinters);
      const lines = listTable(
        ['address', 'name'],
        printers.map(({ name, address }) => [address, name]),
      );
      return { json: printers, text: printers.length === 0 ? 'No printers.' : lines.join('\n') };
    });
  addCommand(program, 'printer', 'remove')
    .description('Remove a printer.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--name <name>', 'the printer')
    .addHelpText(...examples('printer remove --org 1 --name dock-2'))
    .prints(async ({ org, name }: { org: number; name: string }) => {
      const removed = await withOrganization(org, (db, actor) => removePrinter(db, actor, name));
      return { json: removed, text: `Printer ${forTerminal(name)} is removed.` };
    });
}
