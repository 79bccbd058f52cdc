import type { Command } from 'commander';
import { migrate } from '../../../db/timescale/migrate.ts';
import { addTopCommand, tell } from '../command-line.ts';
import { withDatabaseUrl } from '../database.ts';

export function addMigrate(program: Command): void {
  addTopCommand(program, 'migrate')
    .summary('bring the database to this version')
    .description('Bring the database to this version. Safe to run at any time, by any number at once.')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgres://tagtrail:secret@db:5432/tagtrail npx tagtrail migrate',
    )
    .action(async (options) => {
      const result = await withDatabaseUrl((url) => migrate(url));
      const text =
        result.applied.length === 0
          ? `Nothing to do: the database is at ${result.current}.`
          : `Applied ${result.applied.join(', ')}.`;
      tell({ json: result, text }, options);
    });
}
