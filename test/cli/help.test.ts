import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Command } from 'commander';
import { runCommand, wholeCommandLine } from '../support/command-line.ts';

const COMMANDS = new URL('../../services/cli/commands/', import.meta.url);

describe('the help of the command line', () => {
  let program: Command;
  before(async () => {
    program = await wholeCommandLine();
  });
  const nouns = () => program.commands.filter(({ commands }) => commands.length > 0);
  const commands = () =>
    program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : each));

  it('has an example for every command, which calls just that command', () => {
    for (const command of commands()) {
      const path = pathOf(command);
      expect(helpOf(command), path).to.match(
        new RegExp(`Examples?[^\\n]*:\\n(.*\\n)*  .*npx --no -- ${path}( |\\n)`),
      );
    }
  });

  it('says of every command what it does, of every option what it means, and offers --json', () => {
    for (const command of commands()) {
      expect(command.description(), pathOf(command)).to.match(/^[A-Z].*\.$/s);
      expect(command.options.map(({ long }) => long)).to.include('--json');
      expect(command.options.filter(({ description }) => description === '')).to.deep.equal([]);
    }
  });

  it('says of every noun what it is about, and names all its verbs', () => {
    for (const noun of nouns()) {
      for (const verb of noun.commands) {
        expect(noun.summary(), noun.name()).to.include(verb.name());
      }
    }
  });

  it('is nowhere called in a way that asks a registry for its name', () => {
    const files = globSync('**/*.{md,ts,json,yaml,yml}', {
      exclude: (path) => path === 'node_modules' || path === '.cache' || path.endsWith('/node_modules'),
    });
    expect(files).to.include.members(['README.md', 'services/cli/tagtrail.ts', 'deploy/README.md']);
    const asking = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(?:npx|npm (?:exec|x))((?: +-[\w=-]*)*) +tagtrail\b/g)]
        .filter(([, options = '']) => !/^ --no --$/.test(options))
        .map(([call]) => `${file}: ${call}`),
    );
    expect(asking).to.deep.equal([]);
  });

  it('has every command there is', () => {
    const table = readFileSync(new URL('../all-commands.ts', COMMANDS), 'utf8');
    const imported = [...table.matchAll(/import\('\.\/commands\/(.*)'\)/g)].map(([, file]) => file);
    expect(imported).to.have.members(readdirSync(COMMANDS));
  });

  it('is loaded from the file that bears its noun', () => {
    const table = readFileSync(new URL('../all-commands.ts', COMMANDS), 'utf8');
    const rows = [...table.matchAll(/^ *'?([a-z-]+)'?: async[^:]*import\('\.\/commands\/(.*)\.ts'\)/gm)];
    const nouns = program.commands.map((command) => command.name());
    expect(rows.map(([, called]) => called)).to.have.members(nouns);
    expect(rows.map(([, , file]) => file)).to.have.members(nouns);
    expect(rows.filter(([, called, file]) => called !== file)).to.deep.equal([]);
  });

  it('is printed for every noun there is', async () => {
    const { status, stdout } = await runCommand(['--help']);
    expect(status).to.equal(0);
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    expect(listed).to.include.members(program.commands.map((command) => command.name()));
  });
});

/** `tagtrail reader create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}
