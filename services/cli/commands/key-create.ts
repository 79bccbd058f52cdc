import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createApiKey } from '../../../domain/administration/api-keys/create-api-key.ts';
import { SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { refuseExpiry } from '../parts/refuse-expiry.ts';

interface Options {
  org: number;
  name: string;
  scopes: string[];
  expiresAt?: string;
  json?: boolean;
}

export function addKeyCreate(program: Command): void {
  addCommand(program, 'key', 'create')
    .description('Issue an API key. It is shown this once.')
    .requiredOption('--org <id>', 'the organization it acts for', id)
    .requiredOption('--name <name>', 'what it is for, 1 to 255 characters')
    .requiredOption('--scopes <a,b>', `what it may do: ${SCOPES.join(', ')}`, asList)
    .option('--expires-at <time>', 'when it ends, RFC 3339; without this it does not')
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} key create --org 1 --name erp --scopes assets:read,tracking:read`,
    )
    .action(async (options: Options) => {
      const { org: orgId, name, scopes, expiresAt = null } = options;
      const { id: keyId, key } = await withConnections(({ db, actor }) =>
        createApiKey(db, actor, { orgId, name, scopes, expiresAt }),
      ).catch(refuseExpiry(expiresAt));
      printResult({ json: { id: keyId, key }, text: `Key ${keyId}, shown only now:\n${key}` }, options);
    });
}

function asList(text: string): string[] {
  return text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
}
