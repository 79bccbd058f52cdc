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

  for (const folder of ['docs/readers', 'docs/design', 'docs/guides']) {
    it(`are led to by the README of their folder, or of all: ${folder}`, () => {
      const contents = join(folder, 'README.md');
      const linked = [contents, 'README.md'].flatMap((document) =>
        linksOf(read(document)).map((link) => join(dirname(document), link)),
      );
      const inside = documents.filter((name) => dirname(name) === folder && name !== contents);
      expect(inside.filter((name) => !linked.includes(name))).to.deep.equal([]);
    });
  }

  it('have every section and rule that code, tests and documents cite', () => {
    const cited = citations();
    expect(cited.filter(({ source }) => /\.tsx?$/.test(source)).length).to.be.above(30);
    expect(cited.filter(({ source }) => source.endsWith('.md')).length).to.be.above(15);
    const sections = [...read('docs/contract.md').matchAll(/^#+ (\d(?:\.\d+)?) /gm)].map(
      ([, number]) => `contract ${number}`,
    );
    const rules = ['tracking', 'location'].flatMap((name) =>
      [...read(`docs/${name}.md`).matchAll(/^(\d+)\. /gm)].map(([, number]) => `${name} rule ${number}`),
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

/**
 * `contract 7.1, 8 and 9` are three; `docs/tracking.md rule 3`, `rule 3` and `rules 1 to 4` are of tracking, but of location in
 * folders of that name, and where they are called `location rule 3`.
 */
function citations(): { source: string; clause: string }[] {
  const documented = ['docs/contract.md', 'docs/tracking.md', 'docs/handhelds.md', 'test/chaos/README.md'];
  return [...sources(), ...documented].flatMap((source) => {
    const text = read(source).replaceAll(/\n *(?:\*|\/\/|--)? */g, ' ');
    const found = [...text.matchAll(RULE), ...text.matchAll(SECTION)].concat(
      source === 'docs/contract.md' ? [...text.matchAll(OWN_SECTION)] : [],
    );
    return found.flatMap(([, document = '', numbers = '']) =>
      numbers.split(BETWEEN).map((number) => ({
        source,
        clause: `${/rule/i.test(document) ? ruleOf(document, source) : 'contract'} ${number}`,
      })),
    );
  });
}

function ruleOf(document: string, source: string): string {
  const isOfFolder = source.includes('/location/') && !/tracking/i.test(document);
  return isOfFolder || /location/i.test(document) ? 'location rule' : 'tracking rule';
}

const NUMBERS = String.raw`(\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*)`;
const BETWEEN = /, | and | to /;
const RULE = new RegExp(String.raw`\b((?:tracking |location )?rules?) ${NUMBERS}`, 'gi');
const SECTION = new RegExp(String.raw`\b(contract|contract\.md,? sections?) ${NUMBERS}`, 'gi');
const OWN_SECTION = new RegExp(String.raw`\b(sections?) ${NUMBERS}`, 'gi');

function sources(): string[] {
  return globSync('{base,clients,db,deploy,domain,platform,services,simulation,test}/**/*.{ts,tsx,sql}', {
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
