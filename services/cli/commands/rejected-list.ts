import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { listKept } from '../../../domain/administration/rejected/kept-message.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { rejectedRow } from '../parts/rejected-rows.ts';

export function addRejectedList(program: Command): void {
  addCommand(program, 'rejected', 'list')
    .description('List the messages that could not be recorded, whole or in part, and are kept.')
    .option(
      '--org <id>',
      'those of one organization; without it also those on a topic that no reader has',
      id,
    )
    .option('--dismissed', 'those that were dismissed, instead of the others')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} rejected list --org 1`)
    .action(async (options: { org?: number; dismissed?: true; json?: boolean }) => {
      const messages = await withConnections(async ({ db }) => {
        if (options.org !== undefined) {
          await requireLiveOrganization(db, options.org);
        }
        return listKept(db, options.org ?? null, { isDismissed: options.dismissed === true });
      });
      const rows = messages.map(rejectedRow);
      printResult({ json: rows, text: rows.length === 0 ? 'No rejected messages.' : asTable(rows) }, options);
    });
}

function asTable(rows: readonly ReturnType<typeof rejectedRow>[]): string {
  return listTable(
    ['id', 'org', 'reader', 'received', 'bytes', 'replayed', 'topic', 'reason'],
    rows.map((row) => [
      String(row.id),
      String(row.org_id ?? '-'),
      String(row.reader_id ?? '-'),
      row.received_at,
      String(row.bytes),
      row.replayed_at ?? '-',
      forTerminal(row.topic, 60),
      forTerminal(row.reason, 160),
    ]),
  ).join('\n');
}
