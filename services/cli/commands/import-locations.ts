import type { Command } from 'commander';
import { addImport } from '../parts/import-command.ts';

export function addImportLocations(program: Command): void {
  addImport(program, 'location', {
    description:
      'Create, update and move locations by a CSV file: all of it, or nothing. A row whose external_key exists updates that location; an empty cell leaves the value, its parent too; tags are added, never detached.',
    columns: `  external_key, name, description, parent_external_key, is_active, valid_from, valid_to,
  tags (rfid:E28011600000020912345678;barcode:4006381333931)

parent_external_key is the key of the location directly above: one there is, or one of the file, on whichever line.`,
  });
}
