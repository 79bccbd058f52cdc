import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './command-blocks.ts';

describe('what holds, and what was measured', () => {
  const rows = [...readFileSync(join(ROOT, 'docs/design/measured.md'), 'utf8').matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(/ (?<!\\)\| /))
    .filter(([first]) => first !== 'Asked' && first !== 'Grows');
  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);
  const longForms = readFileSync(join(ROOT, 'test/chaos/long-forms.ts'), 'utf8');

  it('says of everything how to see it again, by what is there', () => {
    expect(rows.length).to.be.above(8);
    for (const [asked, , ...again] of rows) {
      expect(again, asked).to.have.length(1);
      const named = [...(again[0] ?? '').matchAll(/`([^`]+)`|\]\(([^)]+)\)/g)];
      expect(named, asked).to.not.deep.equal([]);
      for (const [, command = ''] of named) {
        const [, script] = /^npm run (\S+)/.exec(command) ?? [];
        const [, file] = /^(?:node )?(test\/\S+)/.exec(command) ?? [];
        const [, scenario] = /--scenario (\w+)/.exec(command) ?? [];
        expect(script === undefined || scripts.includes(script), command).to.equal(true);
        expect(file === undefined || existsSync(join(ROOT, file)), command).to.equal(true);
        expect(
          scenario === undefined || new RegExp(`^ {2}${scenario}: `, 'm').test(longForms),
          command,
        ).to.equal(true);
      }
    }
  });
});
