import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { refuseExpiry } from '../parts/refuse-expiry.ts';
import { appAddress, signInCode } from '../parts/sign-in-code.ts';
import { running } from '../running/running.ts';

interface Options {
  org: number;
  name: string;
  expiresAt?: string;
  qr?: string | true;
  json?: boolean;
}

export function addHandheldCreate(program: Command): void {
  addCommand(program, 'handheld', 'create')
    .description('Register a handheld and issue its token. It is shown this once.')
    .requiredOption('--org <id>', 'the organization it scans for', id)
    .requiredOption('--name <name>', 'what people call it, 1 to 255 characters')
    .option('--expires-at <time>', 'when its token ends, RFC 3339; without this it does not')
    .option(
      '--qr [address]',
      'show a QR code too, by which the device signs in; of the app at this address, or at HANDHELD_URL',
      appAddress,
    )
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} handheld create --org 1 --name 'Scanner 1' --qr`)
    .action(async (options: Options) => {
      const { org: orgId, name, expiresAt = null, qr } = options;
      const codeOf = (token: string) =>
        qr === undefined ? null : signInCode(token, qr === true ? null : qr, running().env);
      codeOf(''); // a setting that is wrong is told before there is a token
      const { id: handheldId, token } = await withConnections(({ db, actor }) =>
        createHandheld(db, actor, { orgId, name, expiresAt }),
      ).catch(refuseExpiry(expiresAt));
      const code = codeOf(token);
      const text = `Handheld ${handheldId}; its token, shown only now:\n${token}`;
      printResult(
        {
          json: { id: handheldId, token, ...(code === null ? {} : { url: code.url }) },
          text: code === null ? text : `${text}\n\n${code.text}`,
        },
        options,
      );
    });
}
