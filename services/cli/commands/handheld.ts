import { InvalidArgumentError } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import {
  type ListedHandheld,
  listHandhelds,
} from '../../../domain/administration/handhelds/list-handhelds.ts';
import { renameHandheld } from '../../../domain/administration/handhelds/rename-handheld.ts';
import { revokeHandheld } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { signInAddress } from '../../../domain/administration/handhelds/token-format.ts';
import { HANDHELD_PORT, HANDHELD_URL } from '../../../platform/runtime/common-settings.ts';
import { textSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { TLS_SETTINGS } from '../../../platform/runtime/tls-settings.ts';
import { addCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { refuseExpiry } from '../parts/refuse-expiry.ts';
import { running } from '../running/running.ts';

export function addHandheld(program: Command): void {
  addHandheldCreate(program);
  addHandheldList(program);
  addHandheldRename(program);
  addHandheldRevoke(program);
}

interface CreateOptions {
  org: number;
  name: string;
  expiresAt?: string;
  qr?: string | true;
}

function addHandheldCreate(program: Command): void {
  addCommand(program, 'handheld', 'create')
    .description('Register a handheld and issue its token, shown only now.')
    .requiredOption('--org <id>', 'the organization it scans for', id)
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .option('--expires-at <time>', 'when its token ends, RFC 3339; default: never')
    .option(
      '--qr [address]',
      'also show a QR code to sign in with; for the app at this address, or at HANDHELD_URL',
      appAddress,
    )
    .addHelpText(...examples("handheld create --org 1 --name 'Scanner 1' --qr"))
    .prints(async (options: CreateOptions) => {
      const { org: orgId, name, expiresAt = null, qr } = options;
      const codeOf = (token: string) =>
        qr === undefined ? null : signInCode(token, qr === true ? null : qr, running().env);
      codeOf(''); // reports a wrong setting before there is a token
      const { id: handheldId, token } = await withConnections(({ db, actor }) =>
        createHandheld(db, actor, { orgId, name, expiresAt }),
      ).catch(refuseExpiry(expiresAt));
      const code = codeOf(token);
      const text = `Handheld ${handheldId}; its token, shown only now:\n${token}`;
      return {
        json: { id: handheldId, token, ...(code === null ? {} : { url: code.url }) },
        text: code === null ? text : `${text}\n\n${code.text}`,
      };
    });
}

interface ListOptions {
  org?: number;
}

function addHandheldList(program: Command): void {
  addCommand(program, 'handheld', 'list')
    .description('List handhelds, including those with a revoked or expired token.')
    .option('--org <id>', 'only those of this organization', id)
    .addHelpText(...examples('handheld list --org 1'))
    .prints(async (options: ListOptions) => {
      const handhelds = await withConnections(({ db }) => listHandhelds(db, options.org ?? null));
      return { json: handhelds, text: textOf(handhelds) };
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

interface RenameOptions {
  id: number;
  name: string;
}

function addHandheldRename(program: Command): void {
  addCommand(program, 'handheld', 'rename')
    .description('Rename a handheld. Its token stays valid.')
    .requiredOption('--id <id>', 'the handheld', id)
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .addHelpText(...examples("handheld rename --id 3 --name 'Scanner 3'"))
    .prints(async (options: RenameOptions) => {
      const { id: handheldId, name } = options;
      await withConnections(({ db, actor }) =>
        renameHandheld(db, actor, { orgId: null, id: handheldId, name }),
      );
      return { json: { id: handheldId, name }, text: forTerminal(`Handheld ${handheldId} is now ${name}`) };
    });
}

interface RevokeOptions {
  id: number;
}

function addHandheldRevoke(program: Command): void {
  addCommand(program, 'handheld', 'revoke')
    .description("End a handheld's token, from its next request on.")
    .requiredOption('--id <id>', 'the handheld', id)
    .addHelpText(...examples('handheld revoke --id 3'))
    .prints(async (options: RevokeOptions) => {
      const revoked = await withConnections(({ db, actor }) => revokeHandheld(db, actor, options.id));
      return { json: revoked, text: `Handheld ${revoked.id} is revoked since ${revoked.revoked_at}` };
    });
}

const SETTINGS = {
  HANDHELD_URL,
  HOST: textSetting('where the gateway listens', '127.0.0.1'),
  HANDHELD_PORT,
  ...TLS_SETTINGS,
};

const EVERYWHERE = ['0.0.0.0', '::'];
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** For `--qr`: the address of the app. */
function appAddress(text: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol)) {
    throw new InvalidArgumentError(
      'It must be the address of the app, such as https://handhelds.example.com.',
    );
  }
  return text;
}

/**
 * A QR code for the terminal, by which a device signs in with a token, and its address.
 *
 * @param app where the app is; null for what the settings say.
 * @throws AppError `misconfigured`.
 */
function signInCode(
  token: string,
  app: string | null,
  environment: NodeJS.ProcessEnv,
): { url: string; text: string } {
  const url = signInAddress(app ?? appOf(environment), token);
  const { origin, hostname } = new URL(url);
  const isHere = LOOPBACK.test(hostname);
  const text = [
    `To sign in at ${origin} with this token, scan this code:`,
    renderUnicodeCompact(url, { ecc: 'M', border: 2 }),
    ...(isHere
      ? ['Only this machine can open that address: give --qr, or HANDHELD_URL, one that phones can reach.']
      : []),
  ].join('\n');
  return { url, text };
}

function appOf(environment: NodeJS.ProcessEnv): string {
  const { HANDHELD_URL: known, HOST, HANDHELD_PORT, TLS_CERT_FILE } = readSettings(SETTINGS, environment);
  const host = EVERYWHERE.includes(HOST) ? 'localhost' : HOST;
  const scheme = TLS_CERT_FILE === null ? 'http' : 'https';
  return known ?? `${scheme}://${host.includes(':') ? `[${host}]` : host}:${HANDHELD_PORT}`;
}
