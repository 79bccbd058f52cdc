import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { table } from '../../../base/table.ts';
import {
  type ImportedOrganization,
  importOrganization,
} from '../../../domain/administration/organization-import/import-organization.ts';
import {
  type ErasedTable,
  eraseOrganization,
  previewErasure,
} from '../../../domain/administration/organizations/erase-organization.ts';
import { exportOrganization } from '../../../domain/administration/organizations/export-organization.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  renameOrganization,
} from '../../../domain/administration/organizations/organizations.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { addCommand, type Command, type CommandResult, examples, id } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections, withMigratedOwnerUrl } from '../connections/database.ts';
import { MANIFEST, type Manifest, openExported } from '../files/exported-folder.ts';
import { showProgress } from '../running/running.ts';

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
    .addHelpText(...examples("org create --name 'Acme Logistics'"))
    .prints(async (options: { name: string }) => {
      const { id, name } = await withConnections(({ db, actor }) =>
        createOrganization(db, actor, options.name),
      );
      return { json: { id, name }, text: `Organization ${id}: ${name}` };
    });
}

function addOrgList(program: Command): void {
  addCommand(program, 'org', 'list')
    .description('List the organizations.')
    .addHelpText(...examples('org list --json'))
    .prints(async () => {
      const organizations = await withConnections(({ db }) => listOrganizations(db));
      return {
        json: organizations.map(({ id, name }) => ({ id, name })),
        text: listTable(
          ['id', 'name'],
          organizations.map(({ id, name }) => [String(id), name]),
        ).join('\n'),
      };
    });
}

function addOrgRename(program: Command): void {
  addCommand(program, 'org', 'rename')
    .description('Rename an organization. Its id stays.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .addHelpText(...examples("org rename --org 2 --name 'Acme Europe'"))
    .prints(async (options: { org: number; name: string }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        renameOrganization(db, actor, { id: options.org, name: options.name }),
      );
      return { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is now ${name}`) };
    });
}

function addOrgDelete(program: Command): void {
  addCommand(program, 'org', 'delete')
    .description(
      'Delete an organization. Its keys, readers and handhelds are refused from the next request on; its records stay in the database.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('org delete --org 2'))
    .prints(async (options: { org: number }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        deleteOrganization(db, actor, options.org),
      );
      return { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is deleted: ${name}`) };
    });
}

interface ExportOptions {
  org: number;
  folder: string;
}

/** For its owner only: the files have names, addresses and positions. */
const PRIVATE = { file: 0o600, folder: 0o700 };

function addOrgExport(program: Command): void {
  addCommand(program, 'org', 'export')
    .description(
      'Write everything an organization has, as of one instant, to a folder: a file of JSON lines for each table, and manifest.json with their rows and SHA-256. Passwords, tokens and their digests are left out. A deleted organization can be exported until it is erased.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--folder <path>', 'the folder; created if missing, and must be empty')
    .addHelpText(...examples('org export --org 2 --folder acme'))
    .prints(async (options: ExportOptions) => {
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
      return {
        json: { org_id: orgId, folder, files },
        text: [...lines, `The export is complete: ${folder}`].join('\n'),
      };
    });
}

async function requireEmpty(folder: string): Promise<void> {
  try {
    makeFolder(folder, PRIVATE.folder);
    if ((await readdir(folder)).length > 0) {
      throw new AppError('invalid_input', `${folder} is not empty; name another --folder`);
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
}

function addOrgImport(program: Command): void {
  addCommand(program, 'org', 'import')
    .description(
      'Import an org export into this or another installation of the same version: everything with its ids, in one transaction. Files and tables are compared by SHA-256 before the commit. The organization must not exist here, or be empty (--org). An export has no secrets: keys and handhelds come revoked, readers without passwords, webhooks off, new users without a password.',
    )
    .requiredOption('--folder <path>', 'the folder of the export')
    .option('--org <id>', 'an empty organization to import into, instead of its former id', id)
    .option('--dry-run', 'do everything, then roll it back')
    .addHelpText(...examples('org import --folder acme --dry-run', 'org import --folder acme'))
    .prints(async (options: ImportOptions) => {
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
      return {
        json: {
          ...{ org_id: orgId, name, is_dry_run: isDryRun },
          tables: tables.map(({ name, rows, leftOut }) => ({ name, rows, left_out: leftOut })),
          users: { created: people.created, found: people.found, left_out: people.leftOut },
        },
        text: textOf(imported, isDryRun),
      };
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
      ? `Everything can be imported, as organization ${orgId}; nothing was`
      : `Imported as organization ${orgId} (${forTerminal(name)}); every table agrees with its file`,
    'Secrets are not in an export: create API keys and handhelds again (they come revoked), passwords of readers (reader set --new-password) unless your own broker has them, MQTT consumers, and secrets of webhooks, which are off (webhook set --rotate-secret --state on)',
    ...says(people.created, 'Created without a password; each needs a link: user reset --email'),
    ...says(
      people.leftOut,
      'Not made members, because they have another account here; invite them: user create',
    ),
  ].join('\n');
}

function says(emails: readonly string[], what: string): string[] {
  return emails.length === 0 ? [] : [forTerminal(`${what}: ${emails.join(', ')}`)];
}

interface EraseOptions {
  org: number;
  confirm?: string;
  leavePublished?: true;
}

function addOrgErase(program: Command): void {
  addCommand(program, 'org', 'erase')
    .description(
      'Delete every row of a deleted organization for good, in small pieces while everything runs, and check that none is left. Without --confirm it shows what would go. If interrupted, run it again. Backups are not touched. To keep a copy, run org export first.',
    )
    .requiredOption('--org <id>', 'the deleted organization', id)
    .option('--confirm <name>', 'its name, to confirm')
    .option('--leave-published', 'erase even if messages about its assets are retained at a broker')
    .addHelpText(...examples('org erase --org 2 --confirm Acme'))
    .prints((options: EraseOptions) => (options.confirm === undefined ? show(options) : erase(options)));
}

async function show(options: EraseOptions): Promise<CommandResult> {
  const { name, tables } = await withConnections(({ pool }) => previewErasure(pool, options.org));
  const lines = table(
    ['table', 'rows'],
    tables.map((each) => [each.name, String(each.rows)]),
  );
  const todo = `Nothing is erased yet. To erase organization ${options.org}, give its name: --confirm '${name}'`;
  return {
    json: { id: options.org, name, is_erased: false, tables },
    text: [...lines, forTerminal(todo)].join('\n'),
  };
}

async function erase(options: EraseOptions): Promise<CommandResult> {
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
  return { json: { id: orgId, name, is_erased: true, tables }, text: text.join('\n') };
}

function rowOf({ name, deleted, left }: ErasedTable): string[] {
  return [name, String(deleted), String(left)];
}
