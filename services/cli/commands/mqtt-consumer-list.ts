import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { listConsumers } from '../../../domain/administration/mqtt-consumers/list-consumers.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addMqttConsumerList(program: Command): void {
  addCommand(program, 'mqtt-consumer', 'list')
    .description('List the logins that may read the moves of an organization over MQTT.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} mqtt-consumer list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
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
      printResult({ json: consumers, text: consumers.length === 0 ? 'No consumers.' : table() }, options);
    });
}
