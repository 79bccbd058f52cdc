import type { Command } from 'commander';
import { addExport } from '../parts/export-command.ts';

export function addExportLocations(program: Command): void {
  addExport(program, 'location');
}
