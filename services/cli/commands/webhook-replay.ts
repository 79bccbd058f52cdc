import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { replayWebhook } from '../../../domain/webhooks/replay-webhook.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { position } from '../parts/webhook-options.ts';
import { sayWebhook, webhookRow } from '../parts/webhook-row.ts';

export function addWebhookReplay(program: Command): void {
  addCommand(program, 'webhook', 'replay')
    .description(
      'Send everything after a position again, or go on after a later one. What was paused is on again.',
    )
    .requiredOption('--webhook <id>', 'which webhook', id)
    .requiredOption('--after <position>', 'the position in the feed; 0 for everything that is kept', position)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} webhook replay --webhook 1 --after 48123`)
    .action(async (options: { webhook: number; after: number; json?: boolean }) => {
      const { webhook, after } = await withConnections(({ db, actor }) =>
        replayWebhook(db, actor, { orgId: null, id: options.webhook }, options.after),
      );
      printResult(
        {
          json: { ...webhookRow(webhook), after },
          text: `${sayWebhook(webhook)}, from position ${after + 1} on`,
        },
        options,
      );
    });
}
