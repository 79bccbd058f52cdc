import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { AppError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { exportOrganization } from '../../../domain/administration/organizations/export-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { MANIFEST, type Manifest } from '../files/exported-folder.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  org: number;
  folder: string;
  json?: boolean;
}

/** Only for who runs it: names, addresses and where everything was. */
const PRIVATE = { file: 0o600, folder: 0o700 };

export function addOrgExport(program: Command): void {
  addCommand(program, 'org', 'export')
    .description(
      'Write everything that an organization has, as of one instant, to a folder: a file of JSON lines for each table, and at last manifest.json with their rows and SHA-256. Passwords, tokens and their digests are left out. Organizations that are deleted can be exported until they are erased.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--folder <path>', 'where to; made if it is not there, and must be empty')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org export --org 2 --folder acme`)
    .action(async (options: Options) => {
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
