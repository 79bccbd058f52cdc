import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './command-blocks.ts';

/** What a review asks about; each has a table of its own. */
const SUBJECTS = [
  ...['Transport', 'Network and hosts', 'Authentication', 'Authorisation', 'Audit and logging', 'Secrets'],
  ...['Personal data and erasure', 'Updates and dependencies', 'Integrity and availability'],
];

describe('the answers for a security review', () => {
  const tables = readFileSync(join(ROOT, 'docs/security-questionnaire.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      subject: part.split('\n')[0] ?? '',
      rows: [...part.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | ')),
    }));

  it('are about everything that a review asks about', () => {
    expect(tables.map(({ subject }) => subject)).to.deep.equal(SUBJECTS);
    expect(tables.filter(({ rows }) => rows.length < 3)).to.deep.equal([]);
  });

  for (const { subject, rows } of tables) {
    it(`have tests behind them, each: ${subject}`, () => {
      for (const row of rows) {
        const [question, , tests = ''] = row;
        expect(row, question).to.have.length(3);
        const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
        expect(named, question).to.not.deep.equal([]);
        expect(
          named.filter((name) => !/^test\/.+/.test(name) || !existsSync(join(ROOT, name))),
          question,
        ).to.deep.equal([]);
        expect(tests.replaceAll(/`[^`]+`/g, ''), question).to.match(/^[, ]*(?:, of the pages)?$/);
      }
    });
  }
});
