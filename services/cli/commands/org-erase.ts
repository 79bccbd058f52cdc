import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  type ErasedTable,
  eraseOrganization,
} from '../../../domain/administration/organizations/erase-organization.ts';
import { previewErasure } from '../../../domain/administration/organizations/preview-erasure.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  org: number;
  confirm?: string;
  leavePublished?: true;
  json?: boolean;
}

export function addOrgErase(program: Command): void {
  addCommand(program, 'org', 'erase')
    .description(
      'Delete every row of a deleted organization for good, in small pieces beside running processes, and count what is left: nothing. Without --confirm it shows what would go. Interrupted, it goes on when it is run again. Backups are not touched; org export writes down what there is.',
    )
    .requiredOption('--org <id>', 'the organization, which org delete has deleted', id)
    .option('--confirm <name>', 'its name, to erase it')
    .option('--leave-published', 'erase although messages about its assets are retained at a broker')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org erase --org 2 --confirm Acme`)
    .action((options: Options) => (options.confirm === undefined ? show(options) : erase(options)));
}

async function show(options: Options): Promise<void> {
  const { name, tables } = await withConnections(({ pool }) => previewErasure(pool, options.org));
  const lines = table(
    ['table', 'rows'],
    tables.map((each) => [each.name, String(each.rows)]),
  );
  const todo = `Nothing is erased yet. To erase organization ${options.org}, give its name: --confirm '${name}'`;
  printResult(
    {
      json: { id: options.org, name, is_erased: false, tables },
      text: [...lines, forTerminal(todo)].join('\n'),
    },
    options,
  );
}

async function erase(options: Options): Promise<void> {
  const { org: orgId, confirm: name = '', leavePublished } = options;
  const progress = showProgress();
  const tables = await withInterruption((signal) =>
    withConnections(({ pool, actor }) =>
      eraseOrganization(
        pool,
        actor,
        { orgId, name, leavesPublished: leavePublished === true },
        { signal, onProgress: (of, rows) => progress.show(`${of}: ${rows} rows deleted`) },
      ),
    ),
  ).finally(() => progress.end());
  const text = [
    ...table(['table', 'deleted', 'left'], tables.map(rowOf)),
    forTerminal(`Organization ${orgId} is erased: ${name}`),
  ];
  printResult({ json: { id: orgId, name, is_erased: true, tables }, text: text.join('\n') }, options);
}

function rowOf({ name, deleted, left }: ErasedTable): string[] {
  return [name, String(deleted), String(left)];
}
