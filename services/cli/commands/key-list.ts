import type { Command } from 'commander';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { ApiKeyRow } from '../../../domain/administration/api-keys/key-row.ts';
import { listKeys } from '../../../domain/administration/api-keys/list-keys.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addKeyList(program: Command): void {
  addCommand(program, 'key', 'list')
    .description('List the API keys of an organization, revoked and expired ones too. Secrets are not kept.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} key list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const keys = (await withConnections(({ db }) => listKeys(db, options.org))).map(toJson);
      printResult(
        {
          json: keys,
          text: listTable(
            ['id', 'name', 'scopes', 'created', 'expires', 'revoked', 'last used'],
            keys.map((key) => [
              key.id,
              key.name,
              key.scopes.join(','),
              key.created_at,
              key.expires_at ?? 'never',
              key.revoked_at ?? '',
              key.last_used_at ?? 'never',
            ]),
          ).join('\n'),
        },
        options,
      );
    });
}

function toJson(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    created_at: wireTime(key.created_at),
    expires_at: wireTimeOrNull(key.expires_at),
    revoked_at: wireTimeOrNull(key.revoked_at),
    last_used_at: wireTimeOrNull(key.last_used_at),
  };
}
