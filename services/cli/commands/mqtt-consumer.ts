import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  createConsumer,
  deleteConsumer,
  listConsumers,
} from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { addCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addMqttConsumer(program: Command): void {
  addMqttConsumerCreate(program);
  addMqttConsumerList(program);
  addMqttConsumerDelete(program);
}

function addMqttConsumerCreate(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'create')
    .description(
      'Create a login that may read the moves of an organization over MQTT. Its password is shown only now.',
    )
    .requiredOption('--org <id>', 'the organization whose moves it may read', id)
    .requiredOption('--name <name>', 'what it is for')
    .addHelpText(
      'after',
      `
Moves are published below MQTT_MOVES_PREFIX. Add the login to a broker of your own (MQTT_URL) yourself.

Example:
  ${TAGTRAIL} mqtt-consumer create --org 1 --name Node-RED`,
    )
    .prints(async (options: { org: number; name: string }) => {
      const { org: orgId, name } = options;
      const consumer = await withConnections(({ db, actor }) => createConsumer(db, actor, { orgId, name }));
      const { id: consumerId, username, password } = consumer;
      return {
        json: { id: consumerId, name, mqtt_username: username, mqtt_password: password },
        text: `Consumer ${consumerId}: ${name}
MQTT user name  ${username}
MQTT password   ${password}  (shown only now)
It may subscribe to <MQTT_MOVES_PREFIX>/${orgId}/#, and do nothing else.`,
      };
    });
}

function addMqttConsumerList(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'list')
    .description('List the logins that may read the moves of an organization over MQTT.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('mqtt-consumer list --org 1'))
    .prints(async (options: { org: number }) => {
      const consumers = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listConsumers(db, options.org);
      });
      const table = () =>
        listTable(
          ['id', 'name', 'MQTT user name', 'created', 'last used'],
          consumers.map((each) => [
            ...[String(each.id), each.name, each.mqtt_username, each.created_at],
            each.last_used_at ?? 'never',
          ]),
        ).join('\n');
      return { json: consumers, text: consumers.length === 0 ? 'No consumers.' : table() };
    });
}

function addMqttConsumerDelete(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'delete')
    .description(
      'Delete a login that reads moves over MQTT. The embedded broker ends its connections; at a broker of your own, remove it there.',
    )
    .requiredOption('--consumer <id>', 'which login', id)
    .addHelpText(...examples('mqtt-consumer delete --consumer 1'))
    .prints(async (options: { consumer: number }) => {
      const deleted = await withConnections(({ db, actor }) => deleteConsumer(db, actor, options.consumer));
      return { json: deleted, text: forTerminal(`Consumer ${deleted.id} (${deleted.name}) is deleted.`) };
    });
}
