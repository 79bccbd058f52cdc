import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { deleteConsumer } from '../../../domain/administration/mqtt-consumers/delete-consumer.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

export function addMqttConsumerDelete(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'delete')
    .description(
      'Delete a login that reads moves over MQTT. The embedded broker ends its connections; of a broker of your own, remove it there.',
    )
    .requiredOption('--consumer <id>', 'which login', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} mqtt-consumer delete --consumer 1`)
    .action(async (options: { consumer: number; json?: boolean }) => {
      const deleted = await withConnections(({ db, actor }) => deleteConsumer(db, actor, options.consumer));
      printResult(
        { json: deleted, text: forTerminal(`Consumer ${deleted.id} (${deleted.name}) is deleted.`) },
        options,
      );
    });
}
