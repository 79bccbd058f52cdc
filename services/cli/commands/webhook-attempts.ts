import type { Command } from 'commander';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { type AttemptRow, KEPT_ATTEMPTS, listAttempts } from '../../../domain/webhooks/attempts.ts';
import { requireWebhook } from '../../../domain/webhooks/stored-webhook.ts';
import { addCommand, id, printResult, wholeNumber } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addWebhookAttempts(program: Command): void {
  addCommand(program, 'webhook', 'attempts')
    .description(
      `List what was sent and what was answered, newest first. The last ${KEPT_ATTEMPTS} are kept.`,
    )
    .requiredOption('--webhook <id>', 'which webhook', id)
    .option('--limit <number>', 'at most so many', wholeNumber(1, KEPT_ATTEMPTS), 50)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} webhook attempts --webhook 1 --limit 10`)
    .action(async (options: { webhook: number; limit: number; json?: boolean }) => {
      const attempts = await withConnections(async ({ db }) => {
        const { orgId, id: webhookId } = await requireWebhook(db, { orgId: null, id: options.webhook });
        return listAttempts(db, { orgId, webhookId }, { limit: options.limit });
      });
      const rows = attempts.map((attempt) => ({ ...attempt, at: wireTime(attempt.at) }));
      printResult({ json: rows, text: rows.length === 0 ? 'No attempts.' : asTable(rows) }, options);
    });
}

function asTable(rows: readonly AttemptRow[]): string {
  return listTable(
    ['at', 'event', 'attempt', 'status', 'ms', 'error', 'answer'],
    rows.map((row) => [
      row.at,
      row.event_id,
      String(row.attempt),
      String(row.status ?? '-'),
      String(row.milliseconds),
      row.error ?? '-',
      forTerminal(row.answer ?? '', 120),
    ]),
  ).join('\n');
}
