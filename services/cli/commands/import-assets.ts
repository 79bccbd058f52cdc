import type { Command } from 'commander';
import { addImport } from '../parts/import-command.ts';

export function addImportAssets(program: Command): void {
  addImport(program, 'asset', {
    description:
      'Create and update assets from a CSV file: all of it, or nothing. A row whose external_key exists updates that asset; an empty cell leaves the value; tags are added, never detached.',
    columns: `  external_key, name, description, is_active, valid_from, valid_to,
  metadata (a JSON object), tags (rfid:E28011600000020912345678;barcode:4006381333931)`,
  });
}
