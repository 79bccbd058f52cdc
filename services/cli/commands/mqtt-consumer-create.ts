import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createConsumer } from '../../../domain/administration/mqtt-consumers/create-consumer.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

export function addMqttConsumerCreate(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'create')
    .description(
      'Make a login that may read the moves of an organization over MQTT. Its password is shown this once.',
    )
    .requiredOption('--org <id>', 'the organization whose moves it may read', id)
    .requiredOption('--name <name>', 'what it is for')
    .addHelpText(
      'after',
      `
Moves are published where MQTT_MOVES_PREFIX says; a broker of your own (MQTT_URL) has to be told of the login, too.

Example:
  ${TAGTRAIL} mqtt-consumer create --org 1 --name Node-RED`,
    )
    .action(async (options: { org: number; name: string; json?: boolean }) => {
      const { org: orgId, name } = options;
      const consumer = await withConnections(({ db, actor }) => createConsumer(db, actor, { orgId, name }));
      const { id: consumerId, username, password } = consumer;
      printResult(
        {
          json: { id: consumerId, name, mqtt_username: username, mqtt_password: password },
          text: `Consumer ${consumerId}: ${name}
MQTT user name  ${username}
MQTT password   ${password}  (shown only now)
It may subscribe to <MQTT_MOVES_PREFIX>/${orgId}/#, and do nothing else.`,
        },
        options,
      );
    });
}
