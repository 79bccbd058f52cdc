import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './command-blocks.ts';

describe('the documents', () => {
  const documents = globSync('**/*.md', {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|\.cache|\.git|data)$/.test(name),
  });

  it('link to what is there, files and headings', () => {
    const broken = documents.flatMap((document) =>
      linksOf(read(document))
        .filter((link) => !leadsSomewhere(document, link))
        .map((link) => `${document} -> ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('are led to, all guides of readers, by their table of contents', () => {
    const guides = documents.filter((name) => /^docs\/readers\/(?!README)/.test(name));
    const linked = linksOf(read('docs/readers/README.md')).map((link) => join('docs/readers', link));
    expect(guides.filter((guide) => !linked.includes(guide))).to.deep.equal([]);
  });

  it('have every section and rule that code and tests cite', () => {
    const cited = citations();
    expect(cited.length).to.be.above(30);
    const sections = [...read('docs/contract.md').matchAll(/^#+ (\d(?:\.\d)?) /gm)].map(
      ([, number]) => `contract ${number}`,
    );
    const rules = [...read('docs/tracking.md').matchAll(/^(\d+)\. /gm)].map(
      ([, number]) => `tracking rule ${number}`,
    );
    const there = new Set([...sections, ...rules]);
    expect(cited.filter(({ clause }) => !there.has(clause))).to.deep.equal([]);
  });

  it('are those of this repository where a section or a rule is cited', () => {
    const foreign = sources().flatMap((source) =>
      [...read(source).matchAll(/\b(?:interface|operations|decisions?),? (?:section|rule)s? \d.*/gi)].map(
        ([text]) => `${source}: ${text}`,
      ),
    );
    expect(foreign).to.deep.equal([]);
  });
});

/** `contract 7.1, 8 and 9` are three. */
function citations(): { source: string; clause: string }[] {
  return sources().flatMap((source) =>
    [...read(source).matchAll(CITATION)].flatMap(([, document = '', numbers = '']) =>
      numbers.split(/, | and /).map((number) => ({ source, clause: `${document.toLowerCase()} ${number}` })),
    ),
  );
}

const CITATION = /\b(contract|tracking rule) (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi;

function sources(): string[] {
  return globSync('{base,clients,db,deploy,domain,platform,services,simulation,test}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|dist|\.cache|data)$/.test(name),
  });
}

function read(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

/** Those within the repository. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, target))) {
    return false;
  }
  return heading === undefined || headingsOf(read(target)).includes(heading);
}

/** As links name them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
