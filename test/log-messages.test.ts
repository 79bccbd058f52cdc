import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');

describe('log messages', () => {
  const messages = globSync('{base,db,domain,platform,services}/**/*.ts', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  }).flatMap((source) => messagesIn(readFileSync(join(ROOT, source), 'utf8')));

  it('begin with a capital letter and end without a full stop', () => {
    expect(messages.length).to.be.above(40);
    expect(messages.filter((text) => !/^[A-Z].*[^.\s]$/.test(text))).to.deep.equal([]);
  });

  it('name the subject first, without an article', () => {
    expect(messages.filter((text) => /^(A|An|The|It|What|When)\b/.test(text))).to.deep.equal([]);
  });
});

/** The last text of every call that logs: in front of it stands what the line is about. */
function messagesIn(source: string): string[] {
  return [...source.matchAll(/[lL]og(?:\.(?:debug|info|warn|error)|\[[^\n]*?\])\(/g)].flatMap((call) => {
    const texts = argumentsAt(source, call.index + call[0].length).match(/'(?:[^'\\]|\\.)*'(?=,?\s*$)/g);
    return texts === null ? [] : texts.map((text) => text.slice(1, -1));
  });
}

/** What stands in parentheses, from behind the opening one on. */
function argumentsAt(source: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < source.length; end++) {
    depth += source[end] === '(' ? 1 : source[end] === ')' ? -1 : 0;
  }
  return source.slice(start, end - 1);
}
