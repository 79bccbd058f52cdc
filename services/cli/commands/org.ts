import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { AppError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  type ImportedOrganization,
  importOrganization,
} from '../../../domain/administration/organization-import/import-organization.ts';
import { createOrganization } from '../../../domain/administration/organizations/create-organization.ts';
import { deleteOrganization } from '../../../domain/administration/organizations/delete-organization.ts';
import {
  type ErasedTable,
  eraseOrganization,
} from '../../../domain/administration/organizations/erase-organization.ts';
import { exportOrganization } from '../../../domain/administration/organizations/export-organization.ts';
import { listOrganizations } from '../../../domain/administration/organizations/list-organizations.ts';
import { previewErasure } from '../../../domain/administration/organizations/preview-erasure.ts';
import { renameOrganization } from '../../../domain/administration/organizations/rename-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections, withMigratedOwnerUrl } from '../connections/database.ts';
import { MANIFEST, type Manifest, openExported } from '../files/exported-folder.ts';
import { showProgress } from '../running/progress.ts';

export function addOrg(program: Command): void {
  addOrgCreate(program);
  addOrgList(program);
  addOrgRename(program);
  addOrgDelete(program);
  addOrgExport(program);
  addOrgImport(program);
  addOrgErase(program);
}

function addOrgCreate(program: Command): void {
  addCommand(program, 'org', 'create')
    .description('Add an organization.')
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org create --name 'Acme Logistics'`)
    .action(async (options: { name: string; json?: boolean }) => {
      const { id, name } = await withConnections(({ db, actor }) =>
        createOrganization(db, actor, options.name),
      );
      printResult({ json: { id, name }, text: `Organization ${id}: ${name}` }, options);
    });
}

function addOrgList(program: Command): void {
  addCommand(program, 'org', 'list')
    .description('List the organizations.')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org list --json`)
    .action(async (options: { json?: boolean }) => {
      const organizations = await withConnections(({ db }) => listOrganizations(db));
      printResult(
        {
          json: organizations.map(({ id, name }) => ({ id, name })),
          text: listTable(
            ['id', 'name'],
            organizations.map(({ id, name }) => [String(id), name]),
          ).join('\n'),
        },
        options,
      );
    });
}

function addOrgRename(program: Command): void {
  addCommand(program, 'org', 'rename')
    .description('Call an organization something else. Its id stays.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--name <name>', 'what people call it, 1 to 255 characters')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org rename --org 2 --name 'Acme Europe'`)
    .action(async (options: { org: number; name: string; json?: boolean }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        renameOrganization(db, actor, { id: options.org, name: options.name }),
      );
      printResult(
        { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is now ${name}`) },
        options,
      );
    });
}

function addOrgDelete(program: Command): void {
  addCommand(program, 'org', 'delete')
    .description(
      'Delete an organization. Its keys, readers and handhelds are refused from the next request on; what was recorded stays in the database.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org delete --org 2`)
    .action(async (options: { org: number; json?: boolean }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        deleteOrganization(db, actor, options.org),
      );
      printResult(
        { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is deleted: ${name}`) },
        options,
      );
    });
}

interface ExportOptions {
  org: number;
  folder: string;
  json?: boolean;
}

/** Only for who runs it: names, addresses and where everything was. */
const PRIVATE = { file: 0o600, folder: 0o700 };

function addOrgExport(program: Command): void {
  addCommand(program, 'org', 'export')
    .description(
      'Write everything that an organization has, as of one instant, to a folder: a file of JSON lines for each table, and at last manifest.json with their rows and SHA-256. Passwords, tokens and their digests are left out. Organizations that are deleted can be exported until they are erased.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--folder <path>', 'where to; made if it is not there, and must be empty')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org export --org 2 --folder acme`)
    .action(async (options: ExportOptions) => {
      const { org: orgId, folder } = options;
      await requireEmpty(folder);
      const progress = showProgress();
      const { files, exportedAt, migration } = await withInterruption((signal) =>
        withConnections(({ pool }) =>
          exportOrganization(
            pool,
            orgId,
            async (name, text) => {
              progress.show(name);
              await appendFile(join(folder, name), text, { mode: PRIVATE.file });
            },
            signal,
          ),
        ),
      ).finally(() => progress.end());
      await writeFile(
        join(folder, MANIFEST),
        `${JSON.stringify({ org_id: orgId, exported_at: exportedAt, migration, files } satisfies Manifest, null, 2)}\n`,
        { mode: PRIVATE.file, flush: true },
      );
      const lines = table(
        ['file', 'rows'],
        files.map(({ name, rows }) => [name, String(rows)]),
      );
      printResult(
        { json: { org_id: orgId, folder, files }, text: [...lines, `All of it is in ${folder}`].join('\n') },
        options,
      );
    });
}

async function requireEmpty(folder: string): Promise<void> {
  try {
    makeFolder(folder, PRIVATE.folder);
    if ((await readdir(folder)).length > 0) {
      throw new AppError('invalid_input', `${folder} is not empty; give --folder another one`);
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError('invalid_input', `--folder ${folder} cannot be used: ${messageOf(error)}`);
  }
}

interface ImportOptions {
  folder: string;
  org?: number;
  dryRun?: true;
  json?: boolean;
}

function addOrgImport(program: Command): void {
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
    .action(async (options: ImportOptions) => {
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

interface EraseOptions {
  org: number;
  confirm?: string;
  leavePublished?: true;
  json?: boolean;
}

function addOrgErase(program: Command): void {
  addCommand(program, 'org', 'erase')
    .description(
      'Delete every row of a deleted organization for good, in small pieces beside running processes, and count what is left: nothing. Without --confirm it shows what would go. Interrupted, it goes on when it is run again. Backups are not touched; org export writes down what there is.',
    )
    .requiredOption('--org <id>', 'the organization, which org delete has deleted', id)
    .option('--confirm <name>', 'its name, to erase it')
    .option('--leave-published', 'erase although messages about its assets are retained at a broker')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org erase --org 2 --confirm Acme`)
    .action((options: EraseOptions) => (options.confirm === undefined ? show(options) : erase(options)));
}

async function show(options: EraseOptions): Promise<void> {
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

async function erase(options: EraseOptions): Promise<void> {
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
