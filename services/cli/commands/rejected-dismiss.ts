import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { wireTimeOrNull } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setDismissed } from '../../../domain/administration/rejected/dismiss.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { rejectedId } from '../parts/rejected-rows.ts';

export function addRejectedDismiss(program: Command): void {
  addCommand(program, 'rejected', 'dismiss')
    .description(
      'See a rejected message no more: it is neither listed nor replayed with the others. It is kept and counted as before, and replayed if it is named.',
    )
    .requiredOption('--id <id>', 'which one, as rejected list shows it', rejectedId)
    .option('--undo', 'have it listed again')
    .addHelpText(
      'after',
      `\nJSON: {id, dismissed_at}.\n\nExamples:\n  ${TAGTRAIL} rejected dismiss --id 17\n  ${TAGTRAIL} rejected dismiss --id 17 --undo`,
    )
    .action(async (options: { id: number; undo?: true; json?: boolean }) => {
      const message = await withConnections(({ db, actor }) =>
        setDismissed(db, actor, options.id, options.undo !== true),
      );
      if (message === null) {
        throw new AppError('not_found', `Rejected message ${options.id} not found`);
      }
      const dismissedAt = wireTimeOrNull(message.dismissedAt);
      printResult(
        {
          json: { id: message.id, dismissed_at: dismissedAt },
          text:
            dismissedAt === null
              ? `Rejected message ${message.id} is listed again.`
              : `Rejected message ${message.id} is dismissed; rejected list --dismissed shows it.`,
        },
        options,
      );
    });
}
