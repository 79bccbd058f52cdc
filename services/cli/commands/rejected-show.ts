import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { findKept } from '../../../domain/administration/rejected/kept-message.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';
import { rejectedId, rejectedRow } from '../parts/rejected-rows.ts';

export function addRejectedShow(program: Command): void {
  addCommand(program, 'rejected', 'show')
    .description('Show a rejected message with its payload (at most the first 64 KiB of it are kept).')
    .requiredOption('--id <id>', 'which one, as rejected list shows it', rejectedId)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} rejected show --id 17`)
    .action(async (options: { id: number; json?: boolean }) => {
      const message = await withConnections(({ db }) => findKept(db, options.id));
      if (message === null) {
        throw new AppError('not_found', `Rejected message ${options.id} not found`);
      }
      const { payload, payloadSha256 } = message;
      const isText = isUtf8(payload);
      const row = {
        ...rejectedRow(message),
        payload: payload.toString(isText ? 'utf8' : 'base64'),
        payload_encoding: isText ? 'utf8' : 'base64',
        payload_bytes_kept: payload.length,
        payload_sha256: payloadSha256.toString('hex'),
      };
      printResult({ json: row, text: asText(row) }, options);
    });
}

function asText({ payload, payload_encoding: encoding, ...row }: Record<string, unknown>): string {
  const lines = Object.entries(row).map(([name, value]) => `${name.padEnd(18)}  ${value ?? '-'}`);
  return [...lines.map((line) => forTerminal(line)), `payload (${encoding})`, String(payload)].join('\n');
}
