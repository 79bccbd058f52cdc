import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  type ListedHandheld,
  listHandhelds,
} from '../../../domain/administration/handhelds/list-handhelds.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org?: number;
  json?: boolean;
}

export function addHandheldList(program: Command): void {
  addCommand(program, 'handheld', 'list')
    .description('List handhelds, those whose token was revoked or has expired included.')
    .option('--org <id>', 'only those of this organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} handheld list --org 1`)
    .action(async (options: Options) => {
      const handhelds = await withConnections(({ db }) => listHandhelds(db, options.org ?? null));
      printResult({ json: handhelds, text: textOf(handhelds) }, options);
    });
}

function textOf(handhelds: readonly ListedHandheld[]): string {
  if (handhelds.length === 0) {
    return 'There are no handhelds.';
  }
  return listTable(
    ['id', 'org', 'name', 'last submission', 'expires', 'revoked', 'last used'],
    handhelds.map((handheld) => [
      String(handheld.id),
      String(handheld.org_id),
      handheld.name,
      handheld.last_submission_at ?? 'none',
      handheld.expires_at ?? 'never',
      handheld.revoked_at ?? '-',
      handheld.last_used_at ?? 'never',
    ]),
  ).join('\n');
}
