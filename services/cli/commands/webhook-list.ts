import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { type ListedWebhook, listWebhooks } from '../../../domain/webhooks/list-webhooks.ts';
import { sayState } from '../../../domain/webhooks/say-state.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { listedWebhookRow } from '../parts/webhook-row.ts';

export function addWebhookList(program: Command): void {
  addCommand(program, 'webhook', 'list')
    .description('List the webhooks of an organization, and how far each has come.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} webhook list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const webhooks = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listWebhooks(db, options.org);
      });
      printResult(
        {
          json: webhooks.map(listedWebhookRow),
          text: webhooks.length === 0 ? 'No webhooks.' : asTable(webhooks),
        },
        options,
      );
    });
}

function asTable(webhooks: readonly ListedWebhook[]): string {
  return listTable(
    [
      'id',
      'name',
      'state',
      'position',
      'of',
      'last answer',
      'next attempt',
      'url',
      'types',
      'location',
      'secrets',
    ],
    webhooks.map((webhook) => {
      const row = listedWebhookRow(webhook);
      return [
        String(row.id),
        row.name,
        sayState(webhook),
        String(row.position),
        String(row.head),
        row.last_attempt === null ? '-' : String(row.last_attempt.status ?? row.last_attempt.error),
        row.next_attempt_at ?? '-',
        row.url,
        row.types?.join(',') ?? '-',
        row.location_external_key ?? '-',
        row.secrets_since.length > 1 ? String(row.secrets_since.length) : '-',
      ];
    }),
  ).join('\n');
}
