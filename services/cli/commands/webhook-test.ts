import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { openAgents } from '../../../domain/webhooks/sending/agents.ts';
import type { Attempt } from '../../../domain/webhooks/sending/deliver.ts';
import { createResolve } from '../../../domain/webhooks/targets/resolve.ts';
import { testWebhook } from '../../../domain/webhooks/test-webhook.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { FAILED } from '../command-line/report-error.ts';
import { withConnections } from '../connections/database.ts';
import { webhookSettings } from '../connections/webhooks.ts';
import { running } from '../running/running.ts';

export function addWebhookTest(program: Command): void {
  addCommand(program, 'webhook', 'test')
    .description(
      'Send a test event from here, and say what the receiver answered. Exits with 1 unless that was 2xx.',
    )
    .requiredOption('--webhook <id>', 'which webhook, on or not', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} webhook test --webhook 1`)
    .action(async (options: { webhook: number; json?: boolean }) => {
      const { keys, networks } = webhookSettings();
      const agents = openAgents({ networks, resolve: createResolve() });
      try {
        const attempt = await withConnections(({ db }) =>
          testWebhook(db, { keys, agents }, { orgId: null, id: options.webhook }),
        );
        printResult({ json: rowOf(attempt), text: textOf(attempt) }, options);
        running().status = attempt.outcome === 'delivered' ? 0 : FAILED;
      } finally {
        agents.end();
      }
    });
}

function rowOf({ outcome, eventId, status, error, milliseconds, answer }: Attempt) {
  return { delivered: outcome === 'delivered', event_id: eventId, status, error, milliseconds, answer };
}

function textOf({ outcome, status, error, milliseconds, answer }: Attempt): string {
  const said = status === null ? error : `Answered ${status} after ${milliseconds} ms`;
  return [
    `${outcome === 'delivered' ? 'Delivered' : 'Not delivered'}: ${said}`,
    ...(answer === null || answer === '' ? [] : [answer]),
  ].join('\n');
}
