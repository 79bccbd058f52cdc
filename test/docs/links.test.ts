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
});

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
