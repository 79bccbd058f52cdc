import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createWebhook } from '../../../domain/webhooks/create-webhook.ts';
import { EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { webhookSettings } from '../connections/webhooks.ts';
import { position, typesOf } from '../parts/webhook-options.ts';
import { sayWebhook, webhookRow } from '../parts/webhook-row.ts';

interface Options {
  org: number;
  url: string;
  types?: string[];
  location?: string;
  name?: string;
  after?: number;
  json?: boolean;
}

export function addWebhookCreate(program: Command): void {
  addCommand(program, 'webhook', 'create')
    .description('Send every move to a URL, by POST. The secret that signs them is shown this once.')
    .requiredOption('--org <id>', 'the organization whose moves are sent', id)
    .requiredOption('--url <url>', 'where to; https, or http to what WEBHOOK_NETWORKS names')
    .option('--types <a,b>', `only these types: ${EVENT_TYPES.join(', ')}`, typesOf)
    .option('--location <key>', 'only what touches this location or one below it')
    .option('--name <name>', "its name; the URL's host if left out")
    .option('--after <position>', 'begin after this position of the feed; at its head if left out', position)
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} webhook create --org 1 --url https://erp.example.com/hooks/moves --location HALL-1`,
    )
    .action(async (options: Options) => {
      const { org: orgId, url, types, location: locationExternalKey, name, after } = options;
      const settings = webhookSettings();
      const { webhook, secret } = await withConnections(({ db, actor }) =>
        createWebhook(db, actor, settings, { orgId, url, types, locationExternalKey, name, after }),
      );
      printResult(
        {
          json: { ...webhookRow(webhook), secret },
          text: `${sayWebhook(webhook)}\nSecret  ${secret}  (shown only now)`,
        },
        options,
      );
    });
}
