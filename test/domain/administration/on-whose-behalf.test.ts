import { readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { commandLineActor } from '../../../services/standalone/command-line-actor.ts';

const ROOM = fileURLToPath(new URL('../../../domain/administration', import.meta.url));

/** A statement that is sent: what it is sent on, and its text. */
const SENT = /(\w+)\.(?:any|one|maybeOne|exec)\(\s*sql\.\w+\([^`]*`([^`]*)`/g;

/** Locking clauses are no writes. */
const WRITES = /\b(insert\s+into|delete\s+from|update\s+\w+(\s+(as\s+)?\w+)?\s+set)\b/i;

/** That a session was used, or a browser, is no change, and not on anybody's behalf. */
const NOTES_A_USE = /users\/sessions\/(find-sessions|known-devices)\.ts$/;

/** Erasing and importing reach into every table; their own tests show that the log has them. */
const ANY_TABLE = /^(organizations\/erase-|users\/erasing\/|organization-import\/)/;

describe('whatever administration writes', () => {
  const files = readdirSync(ROOM, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const sent = files.flatMap((file) =>
    [...readFileSync(`${ROOM}/${file}`, 'utf8').matchAll(SENT)].map(([, on = '', text = '']) => ({
      file,
      on,
      text,
    })),
  );
  const writes = sent.filter(({ file, text }) => WRITES.test(text) && !ANY_TABLE.test(file));

  it('is written in a change, which knows on whose behalf it is made', () => {
    const others = writes
      .filter(({ file, on }) => on !== 'change' && !NOTES_A_USE.test(file))
      .map(({ file, on }) => `${file}: ${on}`);
    expect(others).to.deep.equal([]);
  });

  it('is all of what people may change', () => {
    const tables = writes
      .filter(({ file }) => !NOTES_A_USE.test(file))
      .map(({ text }) => /(?:into|from|update)\s+(\w+)/i.exec(text)?.[1]);
    expect([...new Set(tables)].sort()).to.deep.equal([
      'alert_mail_recipients',
      'antennas',
      'api_keys',
      'formats',
      'handhelds',
      'memberships',
      'mqtt_consumers',
      'organizations',
      'plan_antennas',
      'readers',
      'rejected_messages',
      'sessions',
      'unknown_tags',
      'user_links',
      'users',
    ]);
  });

  it('is written on behalf of the user of the operating system, by the command line and the first start', () => {
    expect(commandLineActor()).to.deep.equal({
      type: 'command_line',
      id: userInfo().username,
      requestId: null,
    });
  });
});
