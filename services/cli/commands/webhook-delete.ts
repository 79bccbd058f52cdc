import type { Command } from 'commander';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { deleteWebhook } from '../../../domain/webhooks/delete-webhook.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

export function addWebhookDelete(program: Command): void {
  addCommand(program, 'webhook', 'delete')
    .description('Delete a webhook with its secrets and attempts: nothing more is sent.')
    .requiredOption('--webhook <id>', 'which webhook', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} webhook delete --webhook 1`)
    .action(async (options: { webhook: number; json?: boolean }) => {
      const webhook = await withConnections(({ db, actor }) =>
        deleteWebhook(db, actor, { orgId: null, id: options.webhook }),
      );
      const { id: webhookId, name, url } = webhook;
      printResult(
        {
          json: { id: webhookId, name, url, deleted_at: wireTime(webhook.deletedAt) },
          text: forTerminal(`Webhook ${webhookId} (${name}) is deleted.`),
        },
        options,
      );
    });
}
