import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Which room may look into which; a room may always look into itself. */
const ARROWS: Record<string, string[]> = {
  'db/timescale': [],
  'services/shared': ['db/timescale'],
  'services/api': ['services/shared', 'db/timescale'],
  'services/mqtt-ingest': ['services/shared', 'db/timescale'],
  'services/handheld-gateway': ['services/shared', 'db/timescale'],
  'services/simulation': ['services/shared'],
  'services/standalone': [
    'services/simulation',
    'services/api',
    'services/mqtt-ingest',
    'services/handheld-gateway',
    'services/shared',
    'db/timescale',
  ],
  'services/cli': [
    'services/standalone',
    'services/simulation',
    'services/api',
    'services/mqtt-ingest',
    'services/handheld-gateway',
    'services/shared',
    'db/timescale',
  ],
};

/** The one leaf that the database's room takes from above: what an error for a reader is. */
const LEAF = 'services/shared/errors.ts';

/** What runs in browsers. */
const APP = 'services/handheld-gateway/app-ui/src';

describe('the structure', () => {
  const files = [...sourcesBelow('services'), ...sourcesBelow('db')];
  const imports = new Map(files.map((file) => [file, importsOf(file)]));

  it('is made of the known rooms', () => {
    const strays = files.filter((file) => roomOf(file) === undefined);
    expect(strays).to.deep.equal([]);
  });

  it('has only arrows that point down', () => {
    const wrong = arrows().filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return to !== LEAF && room !== other && !(room !== undefined && ARROWS[room]?.includes(other ?? ''));
    });
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('keeps HTTP and processes out of tracking', () => {
    const wrong = arrows().filter(
      ({ from, to }) =>
        from.startsWith('services/shared/tracking/') && /^services\/shared\/(http|runtime)\//.test(to),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('keeps the mapping of formats apart from brokers and the database', () => {
    const wrong = arrows().filter(
      ({ from, to }) =>
        from.startsWith('services/mqtt-ingest/mapping/') &&
        !/^services\/(mqtt-ingest\/mapping|shared\/(tracking\/tag-type|instant|errors))/.test(to),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('takes into the browser nothing of the server but what tells tags apart', () => {
    const wrong = arrows().filter(
      ({ from, to }) =>
        from.startsWith(`${APP}/`) &&
        !to.startsWith(`${APP}/`) &&
        !/^services\/shared\/tracking\/tag-/.test(to),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('has no leaf that looks up', () => {
    expect(imports.get(LEAF)).to.deep.equal([]);
  });

  it('goes in no circle', () => {
    expect([firstCircle(imports)]).to.deep.equal([null]);
  });

  it('never leans on the tests', () => {
    expect(arrows().filter(({ to }) => to.startsWith('test/'))).to.deep.equal([]);
  });

  it('uses Koa nowhere but where HTTP is served', () => {
    const told = files.filter((file) => /from 'koa'|@koa/.test(sourceOf(file)) && !isAboutHttp(file));
    expect(told).to.deep.equal([]);
  });

  it('is held by the checks that run before every commit', () => {
    const { scripts } = JSON.parse(sourceOf('package.json')) as { scripts: Record<string, string> };
    expect(scripts['check']).to.match(/ mocha .*test\/architecture\.test\.ts/);
  });

  function arrows(): { from: string; to: string }[] {
    return [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })));
  }
});

const said = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

function isAboutHttp(file: string): boolean {
  return /^services\/(shared\/http|api|handheld-gateway)\//.test(file);
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}

function roomOf(file: string): string | undefined {
  return Object.keys(ARROWS).find((room) => file.startsWith(`${room}/`));
}

function sourceOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The project's own files that `file` imports, types included. */
function importsOf(file: string): string[] {
  const specifiers = [...sourceOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)];
  return specifiers.map(([, specifier = '']) =>
    relative(ROOT, normalize(join(ROOT, dirname(file), specifier))),
  );
}

/** Files that import each other in a circle, the first found; null if there are none. */
function firstCircle(imports: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) {
      return [...path.slice(path.indexOf(file)), file].join(' -> ');
    }
    if (done.has(file)) {
      return null;
    }
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== null) {
        return circle;
      }
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== null) {
      return circle;
    }
  }
  return null;
}
