import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  type ImportedOrganization,
  importOrganization,
} from '../../../domain/administration/organization-import/import-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';
import { openExported } from '../files/exported-folder.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  folder: string;
  org?: number;
  dryRun?: true;
  json?: boolean;
}

export function addOrgImport(program: Command): void {
  addCommand(program, 'org', 'import')
    .description(
      'Read what org export wrote, into this or another installation of the same version: everything with its ids, in one transaction, with every file compared with its SHA-256 and every table with its file before the commit. Interrupted, it leaves nothing. The organization must not be there, or be an empty one (--org). Secrets are not in an export: keys and handhelds come revoked, readers without their passwords, webhooks off, users who are not here yet without a password.',
    )
    .requiredOption('--folder <path>', 'what org export wrote')
    .option('--org <id>', 'an empty organization to import into, instead of the id that it had', id)
    .option('--dry-run', 'do everything, and take it back')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} org import --folder acme --dry-run\n  ${TAGTRAIL} org import --folder acme`,
    )
    .action(async (options: Options) => {
      const { folder, org: into = null, dryRun } = options;
      const isDryRun = dryRun === true;
      const progress = showProgress();
      const imported = await withInterruption(async (signal) => {
        const exported = await openExported(folder, {
          signal,
          onProgress: (file) => progress.show(`checking ${file}`),
        });
        return withMigratedOwnerUrl((url) =>
          importOrganization(url, commandLineActor(), exported, {
            ...{ into, isDryRun, signal },
            onProgress: (name, rows) => progress.show(`${name}: ${rows} rows read`),
          }),
        );
      }).finally(() => progress.end());
      const { orgId, name, tables, people } = imported;
      printResult(
        {
          json: {
            ...{ org_id: orgId, name, is_dry_run: isDryRun },
            tables: tables.map(({ name, rows, leftOut }) => ({ name, rows, left_out: leftOut })),
            users: { created: people.created, found: people.found, left_out: people.leftOut },
          },
          text: textOf(imported, isDryRun),
        },
        options,
      );
    });
}

function textOf({ orgId, name, tables, people }: ImportedOrganization, isDryRun: boolean): string {
  const filled = tables.filter(({ rows, leftOut }) => rows + leftOut > 0);
  return [
    ...table(
      ['table', 'rows'],
      filled.map((each) => [each.name, String(each.rows)]),
    ),
    isDryRun
      ? `All of it can be imported, as organization ${orgId}; nothing was`
      : `Imported as organization ${orgId} (${forTerminal(name)}); every table agrees with its file`,
    'Not in it, as they are secrets: make new API keys and handhelds (those of the export are revoked), passwords of readers (reader set --new-password) unless your own broker has them, MQTT consumers, and secrets of webhooks, which are off (webhook set --rotate-secret --state on)',
    ...says(people.created, 'Created without a password; each needs a link: user reset --email'),
    ...says(people.leftOut, 'Not made members, as they have another account here; invite them: user create'),
  ].join('\n');
}

function says(emails: readonly string[], what: string): string[] {
  return emails.length === 0 ? [] : [forTerminal(`${what}: ${emails.join(', ')}`)];
}
