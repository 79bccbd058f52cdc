import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { newSecretsKey } from '../../domain/webhooks/secrets/secrets-key.ts';
import { type EndedCommand, runCommand, wholeCommandLine } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { run } from '../support/process.ts';
import { itByNight } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { storeStays } from '../support/stored-stays.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'tagtrail-json-'));

/** Of an organization and things that there are not; by what the help calls them. */
const VALUES: Readonly<Record<string, string>> = {
  '<a,b>': 'assets:read',
  '<address>': 'nobody@example.com',
  '<command>': 'true',
  '<digits>': '9',
  '<file>': join(FOLDER, 'none'),
  '<format>': 'ingics',
  '<id>': '999',
  '<identifier>': '01',
  '<key>': 'NONE',
  '<key...>': 'NONE',
  '<kind>': 'overdue',
  '<name>': 'None',
  '<number>': '1',
  '<port>': '1',
  '<path>': join(FOLDER, 'written'),
  '<position>': '0',
  '<role>': 'viewer',
  '<time>': '2026-05-01T00:00:00Z',
  '<topic>': 'none',
  '<type>': 'rfid',
  '<url>': 'postgres://nobody@127.0.0.1:1/none',
  '<value>': 'E280',
};

describe('the output of a command with --json', () => {
  const database = useDatabase();
  after(() => rmSync(FOLDER, { recursive: true }));
  let commands: Command[] = [];
  let org = '';
  before(async () => {
    const { orgId } = await Site.create(database);
    org = String(orgId);
    await storeStays(database, orgId, { assets: 30, stays: 200 });
    await database.rows(
      `insert into assets (org_id, external_key, name) select $1, 'Z-' || n, 'Pallet' from generate_series(1, 3000) n`,
      [orgId],
    );
    const program = await wholeCommandLine();
    commands = program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : each));
  });

  const reached = () => ({ DATABASE_URL: database.url, SECRETS_KEY: newSecretsKey(), TAGTRAIL_DATA: FOLDER });
  const SITUATIONS: [string, (command: Command) => Promise<EndedCommand>][] = [
    ['its help', (command) => runCommand([...pathOf(command), '--help', '--json'])],
    ['an option there is not', (command) => runCommand([...pathOf(command), '--json', '--none'], reached())],
    ['no options', (command) => runCommand([...pathOf(command), '--json'], reached())],
    ['things that there are not', (command) => runCommand(called(command), reached())],
    [
      'no database',
      (command) => runCommand(called(command), { ...reached(), DATABASE_URL: VALUES['<url>'] }),
    ],
    ['settings that are wrong', (command) => runCommand(called(command), { DATABASE_URL: 'none' })],
  ];
  for (const [situation, call] of SITUATIONS) {
    it(`is one whole document or nothing: ${situation}`, async () => {
      for (const command of commands) {
        expectDocument(pathOf(command).join(' '), await call(command));
      }
    });
  }

  it('is nothing when an export fails in the middle', async () => {
    await database.rows(`
      create function refuse(key text) returns boolean language plpgsql as
        $$ begin if key in ('Z-999', 'MOVED-30') then raise 'The disk is broken'; end if; return true; end $$;
      create policy broken on assets as restrictive using (refuse(external_key))`);
    const window = ['--from', '2021-01-01T00:00:00Z', '--to', '2021-02-01T00:00:00Z'];
    for (const [what, ...options] of [
      ['assets'],
      ['stays', ...window],
      ['positions', '--at', '2021-02-01T00:00:00Z'],
      ['dwell', ...window, '--group-by', 'asset'],
    ] as const) {
      const ended = await runCommand(['export', what, '--org', org, ...options, '--json'], reached());
      expect(ended, what).to.deep.include({ status: 1, stdout: '' });
      expect(JSON.parse(ended.stderr).error.message, what).to.equal('The disk is broken');
    }
    await database.rows('drop policy broken on assets');
  });

  itByNight('is whole when it is interrupted while its reader is slow', async () => {
    await database.rows(
      `insert into organizations (name) select repeat('Org ', 60) || n from generate_series(1, 3000) n`,
    );
    const { child, ended, stdout, printed } = run(
      'services/cli/tagtrail.ts',
      ['org', 'list', '--json'],
      reached(),
    );
    await printed('[');
    child.stdout?.pause();
    child.kill('SIGINT');
    // By now a process that does not listen has ended.
    await run('services/cli/tagtrail.ts', ['--version']).ended;
    child.stdout?.resume();
    expect(await ended).to.equal(0);
    expect(JSON.parse(stdout())).to.have.lengthOf.above(3_000);
  });

  it('is there with the only copy of a password while the command waits for ingestion', async () => {
    await database.rows(
      `insert into broker_sessions (realm, client_id, is_divided, is_connected, connected_at, held_until)
       values ('mqtt', 'deaf', false, true, now(), now() + interval '1 hour')`,
    );
    const reader = ['--org', org, '--name', 'new', '--topic', 'never/heard', '--format', 'tagtrail'];
    const { child, ended, stdout, stderr, printed } = run(
      'services/cli/tagtrail.ts',
      ['reader', 'create', ...reader, '--json'],
      reached(),
    );
    await printed('mqtt_password');
    expect(stderr()).to.equal('');
    child.kill('SIGKILL');
    await ended;
    expect(JSON.parse(stdout()).mqtt_password).to.match(/^\S{20,}$/);
    await database.rows('delete from broker_sessions');
  });

  it('is all of a long export', async () => {
    const ended = await runCommand(['export', 'assets', '--org', org, '--json'], reached());
    expect(ended.status, ended.stderr).to.equal(0);
    const { csv, assets } = JSON.parse(ended.stdout);
    const asCsv = await runCommand(['export', 'assets', '--org', org], reached());
    expect(csv).to.equal(asCsv.stdout);
    expect(csv.split('\r\n')).to.have.length(assets + 2);
  });
});

function pathOf(command: Command): string[] {
  return command.parent?.parent == null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

function called(command: Command): string[] {
  const values = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long, flags }) => [long ?? '', given(flags)]);
  const words = command.registeredArguments.map((argument) => given(`<${argument.name()}>`));
  return [...pathOf(command), ...words, ...values, '--json'];
}

function given(flags: string): string {
  const [placeholder = ''] = /<.*>/.exec(flags) ?? [];
  const value = VALUES[placeholder];
  expect(value, flags).to.not.equal(undefined);
  return value ?? '';
}

function expectDocument(name: string, { status, stdout, stderr }: EndedCommand): void {
  const said = `${name}: ${stderr}`;
  if (status === 0) {
    expect(stdout, said).to.match(/\n$/);
  } else {
    expect([1, 2], said).to.include(status);
  }
  if (stdout === '') {
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(Object.keys(error), said).to.include.members(['code', 'message']);
  } else {
    expect(JSON.parse(stdout), said).to.satisfy((document: unknown) => typeof document === 'object');
  }
}
