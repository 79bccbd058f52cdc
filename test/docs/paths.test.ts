import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './command-blocks.ts';

/** Documents for those who change the project, which name its files. */
const DOCUMENTS = [
  'CONTRIBUTING.md',
  'docs/security-questionnaire.md',
  ...globSync('docs/design/*.md', { cwd: ROOT }),
];

/** They name files from their own folder. */
const ROOMS = globSync(
  [
    '{base,clients,db/timescale,domain,platform,services,simulation,test}/README.md',
    '{domain,services}/*/README.md',
  ],
  { cwd: ROOT },
);

describe('the documents for contributors', () => {
  for (const document of DOCUMENTS) {
    it(`name files and folders that are there: ${document}`, () => {
      const names = namesIn(read(document)).filter(isPath);
      expect(names.filter((name) => !isThere(name))).to.deep.equal([]);
    });
  }

  it('name files that are there where their names alone are given', () => {
    const names = DOCUMENTS.flatMap((document) => namesIn(read(document))).filter((name) =>
      /^[\w./-]+\.ts$/.test(name),
    );
    const files = globSync('{.ci,base,clients,db,domain,platform,services,simulation,test}/**/*.ts', {
      cwd: ROOT,
      exclude: (name) => name.endsWith('node_modules'),
    });
    expect(names.length).to.be.above(60);
    expect(names.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).to.deep.equal([]);
  });

  it('have a page for every room, which names files that are there', () => {
    const rooms = globSync(['services/*/', 'domain/*/'], { cwd: ROOT }).map(
      (folder) => `${folder}/README.md`,
    );
    const { 'domain/README.md': small = '', ...others } = Object.fromEntries(
      ROOMS.map((room) => [room, read(room)]),
    );
    const missing = rooms.filter((room) => !(room in others) && !small.includes(`| \`${nameOf(room)}\` |`));
    expect(missing).to.deep.equal([]);
    const named = ROOMS.flatMap((room) =>
      namesIn(read(room))
        .filter((name) => /^[\w./-]+\.ts$/.test(name))
        .map((name) => [room, join(dirname(room), name), name] as const),
    );
    expect(named.length).to.be.above(60);
    const wrong = named.filter(
      ([, below, name]) => ![below, name].some((path) => existsSync(join(ROOT, path))),
    );
    expect(wrong).to.deep.equal([]);
  });
});

function nameOf(room: string): string {
  return basename(dirname(room));
}

function isThere(name: string): boolean {
  return [name, `test/${name}`, `test/${name}.test.ts`].some((path) => existsSync(join(ROOT, path)));
}

/** A path from the root of the repository, but for one that is an example. */
function isPath(name: string): boolean {
  return (
    /^(?:\.ci|base|clients|db|deploy|docs|domain|platform|services|simulation|test)\/[\w./-]+$/.test(name) &&
    !name.includes('NNNN')
  );
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
}

function read(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}
