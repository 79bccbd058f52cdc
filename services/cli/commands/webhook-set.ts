import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { setWebhook, type WebhookChange } from '../../../domain/webhooks/set-webhook.ts';
import { STATES, type State } from '../../../domain/webhooks/stored-webhook.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { webhookSettings } from '../connections/webhooks.ts';
import { typesOf } from '../parts/webhook-options.ts';
import { sayWebhook, webhookRow } from '../parts/webhook-row.ts';

interface Options {
  webhook: number;
  state?: State;
  url?: string;
  types?: string[];
  location?: string;
  name?: string;
  rotateSecret?: true;
  dropOldSecret?: true;
  json?: boolean;
}

export function addWebhookSet(program: Command): void {
  addCommand(program, 'webhook', 'set')
    .description('Change a webhook, within seconds. What is left out stays as it is.')
    .requiredOption('--webhook <id>', 'which webhook', id)
    .option('--state <state>', 'on: goes on where it was; off, paused: nothing is sent', oneOf(...STATES))
    .option('--url <url>', 'where to; https, or http to what WEBHOOK_NETWORKS names')
    .option('--types <a,b>', `only these types: ${EVENT_TYPES.join(', ')}; all for every type`, typesOf)
    .option('--location <key>', 'only what touches this location or one below it; none for everywhere')
    .option('--name <name>', 'its name')
    .option(
      '--rotate-secret',
      'make a further secret, shown this once; both sign until the old one is dropped',
    )
    .option('--drop-old-secret', 'end all secrets but the newest')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} webhook set --webhook 1 --state on` +
        `\n  ${TAGTRAIL} webhook set --webhook 1 --rotate-secret` +
        `\n  ${TAGTRAIL} webhook set --webhook 1 --drop-old-secret`,
    )
    .action(async (options: Options) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0) {
        throw new AppError(
          'invalid_input',
          'Nothing to change: give --state, --url, --types, --location, --name, --rotate-secret or --drop-old-secret',
        );
      }
      const settings = webhookSettings();
      const { webhook, secret } = await withConnections(({ db, actor }) =>
        setWebhook(db, actor, settings, { orgId: null, id: options.webhook }, change),
      );
      printResult(
        {
          json: { ...webhookRow(webhook), ...(secret === null ? {} : { secret }) },
          text: sayWebhook(webhook) + (secret === null ? '' : `\nSecret  ${secret}  (shown only now)`),
        },
        options,
      );
    });
}

function changeOf(options: Options): WebhookChange {
  const { state, url, types, location, name, rotateSecret, dropOldSecret } = options;
  return {
    ...(state === undefined ? {} : { state }),
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types: types.join() === 'all' ? null : types }),
    ...(location === undefined ? {} : { locationExternalKey: location === 'none' ? null : location }),
    ...(name === undefined ? {} : { name }),
    ...(rotateSecret === true ? { rotatesSecret: true } : {}),
    ...(dropOldSecret === true ? { dropsOldSecret: true } : {}),
  };
}
