import type { Command } from 'commander';
import { addExport } from '../parts/export-command.ts';

export function addExportAssets(program: Command): void {
  addExport(program, 'asset');
}
