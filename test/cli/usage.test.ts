import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Option } from 'commander';
import { commandLineOn, wholeCommandLine } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('the use of the command line', () => {
  const database = useDatabase();
  const { tagtrail, fails } = commandLineOn(() => database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-usage-'));
  after(() => rmSync(folder, { recursive: true }));
  let commands: { path: string[]; options: readonly Option[] }[] = [];
  before(async () => {
    await Site.create(database);
    const program = await wholeCommandLine();
    commands = program.commands.flatMap((each) =>
      each.commands.length > 0
        ? each.commands.map((verb) => ({ path: [each.name(), verb.name()], options: verb.options }))
        : [{ path: [each.name()], options: each.options }],
    );
  });
  /** Runs a few at a time. */
  async function eachOf<Item>(items: readonly Item[], check: (item: Item) => Promise<void>) {
    for (let at = 0; at < items.length; at += 4) {
      await Promise.all(items.slice(at, at + 4).map(check));
    }
  }

  it('takes no option for the value of another, whichever the command', async () => {
    const withValues = commands.flatMap(({ path, options }) => {
      const option = options.find(({ required }) => required);
      return option === undefined ? [] : [{ path, option: option.long ?? '' }];
    });
    expect(withValues.length).to.be.above(20);
    await eachOf(withValues, async ({ path, option }) => {
      const { status, stdout, stderr } = await tagtrail(...path, option, '--json');
      expect({ status, stdout }, path.join(' ')).to.deep.equal({ status: 2, stdout: '' });
      const { error } = JSON.parse(stderr);
      expect(error.code).to.equal('wrong_usage');
      expect(error.message).to.include(option).and.include(`${option}=--json`);
    });
    expect(await database.rows(`select from organizations where name = '--json'`)).to.deep.equal([]);
  });

  it('takes a value that begins with dashes where it is written with an equals sign', async () => {
    const { status, stdout } = await tagtrail('org', 'create', '--name=--json', '--json');
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ name: '--json' });
  });

  it('refuses an option that is given twice, rather than to forget the first', () =>
    fails(2, "'--name <name>' is given twice", 'org', 'create', '--name', 'A', '--name', 'B'));

  it('refuses serial numbers of labels that are not whole, before it asks the database', async () => {
    const range = ['label', 'range', '--org', '1', '--ai', '01', '--base', '80614141123458'];
    for (const first of ['1.5', '-1', '9007199254740993']) {
      const numbers = ['--prefix-length', '7', '--first', first, '--last', first];
      await fails(2, 'It must be a whole number from 0 to', ...range, ...numbers);
    }
  });

  /** What else a command wants that takes a file. */
  const FILES: Readonly<Record<string, readonly string[]>> = {
    'format add --file': [],
    'format try --format-file': ['--topic', 't', '--file', 'package.json'],
    'format try --file': ['--topic', 't', '--format', 'ingics'],
    'import assets --file': ['--org', '1'],
    'import locations --file': ['--org', '1'],
    'simulate --check': [],
  };
  /** What they write, and what may hold anything: a payload that is no JSON is what a dry run is for. */
  const WRITTEN = [
    ...['assets', 'locations', 'stays', 'positions', 'dwell'].map((what) => `export ${what} --file`),
    'simulate --truth',
  ];
  const ANYTHING = ['format try --file'];

  it('ends with 1 for a file whose content is wrong, and with 2 for one that cannot be read', async () => {
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, '{"neither": "a format", "nor": [}\n"a CSV file"x');
    const taking = commands.flatMap(({ path, options }) =>
      options
        .filter(({ flags }) => flags.includes('<file>'))
        .map(({ long }) => ({ path, name: `${path.join(' ')} ${long}`, option: long ?? '' })),
    );
    expect(taking.map(({ name }) => name)).to.have.members([...Object.keys(FILES), ...WRITTEN]);
    await eachOf(
      taking.filter(({ name }) => name in FILES),
      async ({ path, name, option }) => {
        const more = FILES[name] ?? [];
        const missing = await tagtrail(...path, option, join(folder, 'none'), ...more);
        expect([missing.status, missing.stdout], `${name}: ${missing.stderr}`).to.deep.equal([2, '']);
        const content = await tagtrail(...path, option, wrong, ...more, '--json');
        if (ANYTHING.includes(name)) {
          expect(content.status, name).to.equal(0);
        } else {
          expect([content.status, content.stdout], `${name}: ${content.stderr}`).to.deep.equal([1, '']);
          expect(JSON.parse(content.stderr).error.code, name).to.equal('invalid_input');
        }
      },
    );
  });
});
