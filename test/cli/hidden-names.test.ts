import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';
import { storeAnyFormat } from '../support/stored-format.ts';

const HIDDEN = '\u001b[2J\u009bDock\nReader 7 is deleted';
const SHOWN = '\\u{1b}[2J\\u{9b}Dock\\u{a}Reader 7 is deleted';

describe('a name with control characters', () => {
  const database = useDatabase();
  const { tagtrail, json } = commandLineOn(() => database);
  let reader: string;
  let org: string;

  before(async () => {
    const site = await Site.create(database, HIDDEN);
    org = String(site.orgId);
    reader = String(await site.reader(HIDDEN, [null], { topic: 'dock' }));
  });

  for (const [noun, verb] of [
    ['reader', 'set'],
    ['reader', 'delete'],
    ['org', 'delete'],
  ] as const) {
    it(`is escaped by ${noun} ${verb}, and begins no line`, async () => {
      const which = noun === 'org' ? ['--org', org] : ['--reader', reader];
      const change = verb === 'set' ? ['--time', 'receive'] : [];
      const { status, stdout } = await tagtrail(noun, verb, ...which, ...change);
      expect(status).to.equal(0);
      expect(stdout).to.include(SHOWN);
      expect(stdout).to.match(/^[\P{C}\n]+$/u);
    });
  }

  it('is escaped where a command fails', async () => {
    const { status, stderr } = await tagtrail('format', 'show', '\u001b[2Jgone');
    expect(status).to.equal(1);
    expect(stderr)
      .to.match(/^[\P{C}\n]+$/u)
      .and.include('\\u{1b}[2Jgone');
  });

  it('is the same for a program that takes the format which is shown', async () => {
    const definition = {
      name: 'hidden',
      description: 'a \u009b b \u00ad \u{e0001}',
      decode: 'json',
      rules: [],
    };
    await storeAnyFormat(database, 'hidden', definition);
    const { stdout } = await tagtrail('format', 'show', 'hidden');
    expect(stdout).to.match(/^[\P{C}\n]+$/u);
    expect(JSON.parse(stdout)).to.deep.equal(await json('format', 'show', 'hidden'));
  });
});
