import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { listKeys, shownKey } from '../../../domain/administration/api-keys/list-keys.ts';
import { revokeKey } from '../../../domain/administration/api-keys/revoke-key.ts';
import { SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { addCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { refuseExpiry } from '../parts/refuse-expiry.ts';

export function addKey(program: Command): void {
  addKeyCreate(program);
  addKeyList(program);
  addKeyRevoke(program);
}

interface CreateOptions {
  org: number;
  name: string;
  scopes: string[];
  expiresAt?: string;
}

function addKeyCreate(program: Command): void {
  addCommand(program, 'key', 'create')
    .description('Issue an API key. It is shown only now.')
    .requiredOption('--org <id>', 'the organization it acts for', id)
    .requiredOption('--name <name>', 'what it is for, 1 to 255 characters')
    .requiredOption('--scopes <a,b>', `its scopes: ${SCOPES.join(', ')}`, asList)
    .option('--expires-at <time>', 'when it ends, RFC 3339; default: never')
    .addHelpText(...examples('key create --org 1 --name erp --scopes assets:read,tracking:read'))
    .prints(async (options: CreateOptions) => {
      const { org: orgId, name, scopes, expiresAt = null } = options;
      const { id: keyId, key } = await withConnections(({ db, actor }) =>
        createApiKey(db, actor, { orgId, name, scopes, expiresAt }),
      ).catch(refuseExpiry(expiresAt));
      return { json: { id: keyId, key }, text: `Key ${keyId}, shown only now:\n${key}` };
    });
}

function asList(text: string): string[] {
  return text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
}

function addKeyList(program: Command): void {
  addCommand(program, 'key', 'list')
    .description(
      'List the API keys of an organization, including revoked and expired ones. Secrets are not stored.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('key list --org 1'))
    .prints(async (options: { org: number }) => {
      const keys = (await withConnections(({ db }) => listKeys(db, options.org))).map(shownKey);
      return {
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
      };
    });
}

function addKeyRevoke(program: Command): void {
  addCommand(program, 'key', 'revoke')
    .description('Revoke an API key. Every process refuses it from the next request on.')
    .requiredOption('--id <id>', 'the id of the key, the part between tt_ and the next _')
    .addHelpText(...examples('key revoke --id 01KQSA8N2V6T4W8XJY3ZB5D7FH'))
    .prints(async (options: { id: string }) => {
      const revoked = await withConnections(({ db, actor }) => revokeKey(db, actor, options.id));
      return { json: revoked, text: `Key ${revoked.id} is revoked since ${revoked.revoked_at}` };
    });
}
