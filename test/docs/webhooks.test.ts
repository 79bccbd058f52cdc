import { execFileSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newSigningSecret, shownSecret, signatureOf } from '../../domain/webhooks/secrets/signing-secret.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../support/programs.ts';
import { ROOT } from './command-blocks.ts';

const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');

interface Case {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  isGenuine: boolean;
}

function cases(): Case[] {
  const [secret, other] = [newSigningSecret(), newSigningSecret()];
  const body = '{"asset":"Kühlgerät"}';
  const now = Math.floor(Date.now() / 1_000);
  const signed = (secrets: readonly Buffer[], timestamp = now) => ({
    'webhook-id': 'org-1-7',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(
      secrets.map((each) => createSecretKey(each)),
      { id: 'org-1-7', timestamp, body },
    ),
  });
  const genuine = { secret: shownSecret(secret), headers: signed([secret]), body };
  return [
    { ...genuine, name: 'genuine', isGenuine: true },
    { ...genuine, name: 'with two secrets', headers: signed([other, secret]), isGenuine: true },
    { ...genuine, name: 'of another secret', headers: signed([other]), isGenuine: false },
    { ...genuine, name: 'of another body', body: '{}', isGenuine: false },
    { ...genuine, name: 'of long ago', headers: signed([secret], now - 600), isGenuine: false },
    { ...genuine, name: 'without a signature', headers: {}, isGenuine: false },
  ];
}

/** What the page shows in a language, written to a file of the name that it gives. */
function shown(language: string, folder: string): string {
  const [, name = '', source = ''] =
    new RegExp(`\`(\\w+\\.\\w+)\`:\n\n\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
  writeFileSync(join(folder, name), source);
  return name;
}

describe('how to verify the signature of a webhook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-verify-'));
  after(() => rmSync(folder, { recursive: true }));

  it('works in Node.js as it is shown', async () => {
    const { isGenuine } = await import(join(folder, shown('js', folder)));
    for (const each of cases()) {
      expect(isGenuine(each.secret, each.headers, Buffer.from(each.body)), each.name).to.equal(
        each.isGenuine,
      );
    }
  });

  describe('in Python', () => {
    useProgram('python3');

    it('works as it is shown', () => {
      shown('python', folder);
      const program =
        'import json, sys, verify\nprint(json.dumps([verify.is_genuine(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))';
      const said = execFileSync('python3', ['-c', program], {
        cwd: folder,
        env: PROGRAM_ENVIRONMENT,
        input: JSON.stringify(cases()),
        encoding: 'utf8',
      });
      expect(JSON.parse(said)).to.deep.equal(cases().map(({ isGenuine }) => isGenuine));
    });
  });
});
