import type { Command } from 'commander';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

export function addReaderDelete(program: Command): void {
  addCommand(program, 'reader', 'delete')
    .description('Delete a reader: nothing more is taken from it. What it has read stays.')
    .requiredOption('--reader <id>', 'which reader', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} reader delete --reader 1`)
    .action(async (options: { reader: number; json?: boolean }) => {
      const reader = await withConnections(({ db, actor }) => deleteReader(db, actor, options.reader));
      await heardEverywhere();
      const { id: readerId, name, topic } = reader;
      printResult(
        {
          json: { id: readerId, name, topic, deleted_at: wireTime(reader.deletedAt) },
          text: forTerminal(`Reader ${readerId} (${name}) is deleted; topic ${topic} is free again.`),
        },
        options,
      );
    });
}
