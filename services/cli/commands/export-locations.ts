import type { Command } from 'commander';
import { addExport } from '../export-command.ts';

export function addExportLocations(program: Command): void {
  addExport(program, 'location');
}
