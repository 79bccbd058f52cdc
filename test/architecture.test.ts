import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect } from 'chai';
import { filesBelow, ROOT } from './support/files-below.ts';

const DOMAIN = [
  'domain/alerts',
  'domain/changes',
  'domain/epcis',
  'domain/identity',
  'domain/labels',
  'domain/tracking',
  'domain/formats',
  'domain/administration',
  'domain/health',
  'domain/listening',
  'domain/master-data',
  'domain/messages',
  'domain/moves',
  'domain/presence',
  'domain/reports',
  'domain/sweeps',
  'domain/webhooks',
];
const PLATFORM = [
  'platform/runtime',
  'platform/access',
  'platform/http',
  'platform/description',
  'platform/rate-limit',
];
const DATABASE = ['db/timescale/queries', 'db/timescale/connections', 'db/timescale/schema'];

/** Each room, and the rooms it may import beside itself. */
const ARROWS: Record<string, string[]> = {
  base: [],
  'db/timescale/queries': ['base'],
  'db/timescale/connections': ['db/timescale/queries', 'base'],
  'db/timescale/embedded': ['db/timescale/connections', 'base'],
  'db/timescale/schema': [
    'db/timescale/embedded',
    'db/timescale/connections',
    'db/timescale/queries',
    'base',
  ],
  'db/timescale/copy': [...DATABASE, 'base'],
  'db/timescale/cells': [...DATABASE, 'db/timescale/copy', 'base'],
  'db/timescale/erase': [...DATABASE, 'db/timescale/copy', 'base'],
  'domain/identity': ['base'],
  'domain/labels': [
    ...DATABASE,
    'domain/changes',
    'domain/identity',
    'domain/master-data',
    'domain/webhooks',
    'base',
  ],
  'domain/tracking': [...DATABASE, 'domain/identity', 'base'],
  'domain/formats': [...DATABASE, 'domain/tracking', 'base'],
  'domain/master-data': [...DATABASE, 'domain/changes', 'domain/identity', 'domain/tracking', 'base'],
  'domain/alerts': [
    ...DATABASE,
    'domain/administration',
    'domain/changes',
    'domain/master-data',
    'domain/moves',
    'domain/presence',
    'domain/sweeps',
    'domain/tracking',
    'base',
  ],
  'domain/changes': [...DATABASE, 'base'],
  'domain/epcis': [
    ...DATABASE,
    'domain/administration',
    'domain/changes',
    'domain/formats',
    'domain/identity',
    'domain/messages',
    'domain/moves',
    'domain/tracking',
    'base',
  ],
  'domain/administration': [
    ...DATABASE,
    'db/timescale/cells',
    'db/timescale/erase',
    'domain/changes',
    'domain/formats',
    'domain/master-data',
    'domain/presence',
    'domain/tracking',
    'base',
  ],
  'domain/health': [
    ...DATABASE,
    'db/timescale/cells',
    'domain/alerts',
    'domain/administration',
    'domain/formats',
    'domain/moves',
    'domain/tracking',
    'domain/webhooks',
    'base',
  ],
  'domain/messages': [
    ...DATABASE,
    'domain/administration',
    'domain/changes',
    'domain/formats',
    'domain/tracking',
    'base',
  ],
  'domain/listening': [...DATABASE, 'domain/tracking', 'base'],
  'domain/moves': [...DATABASE, 'domain/master-data', 'domain/tracking', 'base'],
  'domain/presence': [...DATABASE, 'base'],
  'domain/reports': [
    ...DATABASE,
    'domain/alerts',
    'domain/master-data',
    'domain/moves',
    'domain/presence',
    'domain/sweeps',
    'domain/tracking',
    'base',
  ],
  'domain/sweeps': [...DATABASE, 'domain/presence', 'domain/tracking', 'base'],
  'domain/webhooks': [
    ...DATABASE,
    'domain/administration',
    'domain/changes',
    'domain/epcis',
    'domain/master-data',
    'domain/moves',
    'base',
  ],
  'platform/runtime': [...DATABASE, 'base'],
  'platform/access': [...DATABASE, 'platform/runtime', 'base'],
  'platform/http': ['platform/runtime', 'base'],
  'platform/description': ['platform/http', 'base'],
  'platform/rate-limit': ['platform/http', 'platform/runtime', 'base'],
  docs: [],
  simulation: ['base'],
  'services/api': [...DOMAIN, ...PLATFORM, ...DATABASE, 'base'],
  'services/mqtt-ingest': [...DOMAIN, ...PLATFORM, ...DATABASE, 'base'],
  'services/handheld-gateway': [...DOMAIN, ...PLATFORM, ...DATABASE, 'base'],
  'services/console': [...DOMAIN, ...PLATFORM, ...DATABASE, 'base'],
  'services/worker': [...DOMAIN, ...PLATFORM, ...DATABASE, 'base'],
  'services/standalone': [...DOMAIN, ...PLATFORM, ...DATABASE, 'simulation', 'db/timescale/embedded', 'base'],
  'services/cli': [
    ...DOMAIN,
    ...PLATFORM,
    ...DATABASE,
    'services/standalone',
    'simulation',
    'db/timescale/cells',
    'db/timescale/copy',
    'db/timescale/embedded',
    'base',
  ],
  'clients/ui': [],
  'clients/handheld-app': ['clients/ui'],
  'clients/console-app': ['clients/ui'],
  'clients/api-docs': ['clients/ui'],
  'clients/python': [],
  'clients/typescript': [],
  'deploy/audit': [],
  'deploy/image': [],
  'deploy/package': [],
  '.ci': [],
};

/** What the floor above the services takes of each: what it does, and its settings, which need none of that. */
const ENTRIES = [
  ...['api/entry', 'mqtt-ingest/entry', 'handheld-gateway/start', 'console/start', 'worker/start-jobs'],
  ...['api', 'mqtt-ingest', 'handheld-gateway', 'console', 'worker'].map((service) => `${service}/config`),
].map((file) => `services/${file}.ts`);

/** What the console takes of the API: its routes with what they need, and their bodies for the threads that check them. */
const OF_API = ['entry', 'config', 'bodies'].map((file) => `services/api/${file}.ts`);

/** What the arrows do not allow and is there: to be done away with, or for good, and why. */
const EXCEPTIONS: { from: string[]; to: string[]; why: string }[] = [
  {
    from: ['clients/typescript/build/'],
    to: ['services/api/description/document.ts', 'services/api/routes.ts'],
    why: 'for good: the types of the client are written from the description, when it is built',
  },
  {
    from: ['clients/typescript/build/'],
    to: ['clients/ui/build/replace-folder.ts'],
    why: 'for good: it is built as the apps are; what it is made of knows nothing of them',
  },
  {
    from: ['clients/console-app/build/'],
    to: [
      'base/checks/fields.ts',
      'domain/master-data/imports/given-row.ts',
      'platform/description/openapi.ts',
      'services/api/description/document.ts',
      'services/console/routes.ts',
    ],
    why: 'for good: the types of what the console is answered are written from what its routes declare',
  },
];

/** What the console takes of the rest: how texts are made harmless in CSV. */
const LEAVES_FOR_CONSOLE = ['base/harmless-cells.ts'];

/** What runs in browsers, and what it may take of the rest: what tells tags apart, and secrets from tags. */
const APP = 'clients/handheld-app/';
const LEAVES_FOR_BROWSERS = [
  'base/scanned-text.ts',
  'domain/identity/barcode-key.ts',
  'domain/identity/compressed-link.ts',
  'domain/identity/epc.ts',
  'domain/identity/gs1-elements.ts',
  'domain/identity/named.ts',
  'domain/tracking/kind-found.ts',
  'domain/tracking/tag-key.ts',
  'domain/tracking/tag-type.ts',
];

/** What is no program: documents, what programs are run with, and the tests, which mirror the rooms. */
const NO_ROOMS = ['docs/', 'deploy/', 'test/'];

/** Folders of tests that have no folder, or file, of the same name among the sources. */
const TESTS_OF_NO_FOLDER = [
  'bench',
  'chaos',
  'contract',
  'docs',
  'fixtures',
  'growing',
  'support',
  'api/fuzz',
  'api/rate-limit',
  'clients/typescript/program',
  'domain/formats/fuzz',
  'domain/tracking/plans',
];

describe('the structure', () => {
  const everything = filesBelow('.');
  const files = everything.filter((file) => /\.[mc]?[jt]sx?$/.test(file));
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const sources = files.filter((file) => !file.startsWith('test/'));

  it('sees every kind of source', () => {
    const kinds = [
      'services/api/app.ts',
      `${APP}src/main.tsx`,
      `${APP}build/main.ts`,
      'test/support/site.ts',
    ];
    expect(files).to.include.members([...kinds, 'clients/typescript/src/index.ts', '.ci/reporter.ts']);
    expect(imports.get(`${APP}src/main.tsx`)).to.include(`${APP}src/app/app.ts`);
    // What a thread runs is named by its address.
    expect(imports.get('services/api/start-serving.ts')).to.include('services/api/large-rows-thread.ts');
  });

  it('is made of the known rooms, each with something in it', () => {
    const placed = everything.filter((file) => !begins(file, NO_ROOMS) && !/^[^/]*$|\.md$/.test(file));
    expect([...sources, ...placed].filter((file) => roomOf(file) === undefined)).to.deep.equal([]);
    const rooms = new Set([...sources, ...placed].map(roomOf));
    expect(Object.keys(ARROWS).filter((room) => !rooms.has(room))).to.deep.equal([]);
  });

  it('imports what is there', () => {
    const wrong = arrows().filter(({ to }) => !existsSync(join(ROOT, to)) && !isGenerated(to));
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('has only arrows that point down', () => {
    const wrong = arrows().filter((arrow) => !isAllowed(arrow) && exceptionOf(arrow) === undefined);
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('has no exception that nothing needs any more', () => {
    const needed = arrows().filter((arrow) => !isAllowed(arrow));
    const idle = EXCEPTIONS.flatMap(({ from, to }) =>
      to.filter((path) => !needed.some((arrow) => begins(arrow.from, from) && arrow.to.startsWith(path))),
    );
    expect(idle).to.deep.equal([]);
  });

  it('keeps HTTP and processes out of tracking', () => {
    const wrong = arrows().filter(
      ({ from, to }) =>
        from.startsWith('domain/tracking/') &&
        !begins(to, ['domain/tracking/', 'domain/identity/', 'db/timescale/', 'base/']),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('keeps the mapping of formats apart from brokers and the database', () => {
    const leaves = ['tag-type', 'reading-kind', 'rssi'].map((name) => `domain/tracking/${name}`);
    const allowed = ['domain/formats/mapping/', ...leaves, 'base/'];
    const wrong = arrows().filter(
      ({ from, to }) => from.startsWith('domain/formats/mapping/') && !begins(to, allowed),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('takes into the console nothing of the server but how CSV is made harmless', () => {
    const reached = reachedFrom(files.filter((file) => file.startsWith('clients/console-app/src/')));
    const foreign = reached.filter((file) => !begins(file, ['clients/console-app/', 'clients/ui/']));
    expect(foreign).to.deep.equal(LEAVES_FOR_CONSOLE);
  });

  it('takes into the browser nothing of the server but what tells tags apart', () => {
    const reached = reachedFrom(files.filter((file) => file.startsWith(`${APP}src/`)));
    const foreign = reached.filter((file) => !begins(file, [APP, 'clients/ui/'])).sort();
    expect(foreign).to.deep.equal(LEAVES_FOR_BROWSERS);
  });

  it('goes in no circle', () => {
    expect([firstCircle(imports)]).to.deep.equal([null]);
  });

  it('has no circle of folders', () => {
    expect(circlesOfFolders()).to.deep.equal([]);
  });

  it('never leans on the tests', () => {
    const wrong = arrows().filter(({ from, to }) => !from.startsWith('test/') && to.startsWith('test/'));
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('is mirrored by the tests', () => {
    const folders = new Set(files.filter((file) => file.startsWith('test/')).map(dirname));
    const strays = [...folders]
      .map((folder) => relative('test', folder))
      .filter((folder) => folder !== '' && !TESTS_OF_NO_FOLDER.some((path) => isWithin(folder, path)))
      .filter((folder) => !namesTested(folder).some((path) => isFolder(path) || isFolder(`${path}.ts`)));
    expect(strays).to.deep.equal([]);
  });

  it('shares among rooms of tests only what is in test/support', () => {
    const wrong = arrows().filter(
      ({ from, to }) =>
        from.startsWith('test/') &&
        begins(to, ['test/']) &&
        ![roomOfTests(from), SHARED].includes(roomOfTests(to)),
    );
    expect(wrong.map(said)).to.deep.equal([]);
  });

  it('uses Koa nowhere but where HTTP is served', () => {
    const served = [
      'platform/http/',
      'services/api/',
      'services/console/',
      'services/handheld-gateway/',
      'services/mqtt-ingest/push/',
    ];
    const told = sources.filter((file) => /from 'koa'|@koa/.test(sourceOf(file)) && !begins(file, served));
    expect(told).to.deep.equal([]);
  });

  it('sends queries by the verbs, and knows pg and slonik nowhere but where they are made', () => {
    const above = sources.filter((file) => !file.startsWith('db/timescale/'));
    const holding = (among: readonly string[], pattern: RegExp) =>
      among.filter((file) => pattern.test(sourceOf(file)));
    expect(holding(above, /\.query[(<]/)).to.deep.equal([]);
    expect(holding(above, /(from|import\() ?'pg'/)).to.deep.equal([]);
    const ofSlonik = sources.filter((file) => /'(@slonik\/[\w-]+|slonik)'/.test(sourceOf(file)));
    expect(ofSlonik).to.deep.equal(['db/timescale/queries/sql.ts']);
  });

  it('opens connections nowhere past what finds the primary among several servers', () => {
    const opening = sources.filter((file) => /new pg\.(Client|Pool)\(/.test(sourceOf(file)));
    expect(opening).to.deep.equal(['db/timescale/connections/ask-server.ts']);
  });

  it('names what a query gives as columns are named', () => {
    const translated = sources.filter((file) => / as "[a-z]+[A-Z]/.test(sourceOf(file)));
    expect(translated).to.deep.equal([]);
  });

  it('changes what people look after on behalf of somebody only', () => {
    const server = sources.filter((file) => !file.startsWith('clients/'));
    const asked = server.filter((file) => /\.transaction\(/.test(sourceOf(file)));
    expect(asked).to.deep.equal(['domain/changes/make-change.ts']);
    const grouped = server.filter((file) => /\.grouped\((?![^;]*\bactor\b)/.test(sourceOf(file)));
    expect(grouped).to.deep.equal([]);
  });

  it('puts no array of any length on the stack, as arguments', () => {
    const server = sources.filter((file) => !file.startsWith('clients/'));
    expect(
      server.flatMap((file) => spreadsIn(sourceOf(file)).map((call) => `${file}: ${call}`)),
    ).to.deep.equal([]);
    expect(spreadsIn('a.push({ ...b }, [...c]); Math.max(d, ...e); f?.push(\n ...g)')).to.have.length(2);
  });

  it('is held by the checks that run before every commit', () => {
    const { scripts } = JSON.parse(sourceOf('package.json')) as { scripts: Record<string, string> };
    expect(scripts['check']).to.match(/ mocha .*test\/architecture\.test\.ts/);
  });

  function arrows(): Arrow[] {
    return [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })));
  }

  function reachedFrom(starts: readonly string[]): string[] {
    const seen = new Set(starts);
    for (const file of seen) {
      for (const next of imports.get(file) ?? []) {
        seen.add(next);
      }
    }
    return [...seen];
  }

  function circlesOfFolders(): string[][] {
    const folders = new Map<string, Set<string>>();
    for (const file of sources) {
      const folder = dirname(file);
      const others = (imports.get(file) ?? []).map((to) => dirname(to)).filter((other) => other !== folder);
      folders.set(folder, new Set([...(folders.get(folder) ?? []), ...others]));
    }
    const reached = new Map([...folders.keys()].map((folder) => [folder, foldersFrom(folder)]));
    const reaches = (from: string, to: string) => reached.get(from)?.has(to) === true;
    const inCircles = [...folders.keys()].filter((folder) => reaches(folder, folder)).sort();
    const circles = inCircles.map((folder) =>
      inCircles.filter((other) => reaches(folder, other) && reaches(other, folder)),
    );
    return [...new Map(circles.map((circle) => [circle.join(' '), circle])).values()];

    function foldersFrom(start: string): Set<string> {
      const seen = new Set(folders.get(start));
      for (const folder of seen) {
        for (const next of folders.get(folder) ?? []) {
          seen.add(next);
        }
      }
      return seen;
    }
  }
});

interface Arrow {
  from: string;
  to: string;
}

const said = ({ from, to }: Arrow) => `${from} -> ${to}`;

function isAllowed({ from, to }: Arrow): boolean {
  if (from.startsWith('test/')) {
    return true;
  }
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === undefined || other === undefined) {
    return false;
  }
  return (
    room === other ||
    ARROWS[room]?.includes(other) === true ||
    (begins(from, ['services/cli/', 'services/standalone/']) && ENTRIES.includes(to)) ||
    (from.startsWith('services/console/') && OF_API.includes(to)) ||
    // Both need the settings of webhooks: the API to make them, the worker to deliver.
    (from.startsWith('services/worker/') && to === 'services/api/config.ts') ||
    (from.startsWith(APP) && LEAVES_FOR_BROWSERS.includes(to)) ||
    (from.startsWith('clients/console-app/src/') && LEAVES_FOR_CONSOLE.includes(to))
  );
}

function exceptionOf(arrow: Arrow): unknown {
  return EXCEPTIONS.find(({ from, to }) => begins(arrow.from, from) && begins(arrow.to, to));
}

function begins(path: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => path.startsWith(beginning));
}

function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}

/** What a folder of tests may be of: `services` and `timescale` are left out of their names. */
function namesTested(folder: string): string[] {
  return [folder, `services/${folder}`, folder.replace(/^db(?=\/|$)/, 'db/timescale')];
}

const SHARED = 'test/support';

/** The first folder below `test`, and the second where the first holds several rooms. */
function roomOfTests(file: string): string {
  return /^test\/((domain|platform|db|clients)\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? 'test';
}

function isFolder(path: string): boolean {
  return existsSync(join(ROOT, path));
}

/** Not there until the typed client is built. */
function isGenerated(file: string): boolean {
  return /^clients\/typescript\/(src\/paths|dist)/.test(file);
}

/** The innermost. */
function roomOf(file: string): string | undefined {
  const rooms = Object.keys(ARROWS).filter((room) => file.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0];
}

/** Calls of functions that take any number of arguments, and are given those of an array: `append` and `leastOf` are for that. */
function spreadsIn(source: string): string[] {
  const taking = /(?:Math\.(?:min|max)|\.(?:push|unshift|splice)|String\.from(?:CharCode|CodePoint))\(/g;
  return [...source.matchAll(taking)].flatMap(({ 0: call, index }) => {
    const begin = index + call.length;
    let depth = 1;
    for (let at = begin; depth > 0 && at < source.length; at++) {
      if (depth === 1 && source.startsWith('...', at)) {
        return [source.slice(index, at + 20)];
      }
      depth += '([{'.includes(source[at] ?? '') ? 1 : ')]}'.includes(source[at] ?? '') ? -1 : 0;
    }
    return [];
  });
}

function sourceOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The project's own files that `file` imports, types and threads included. */
function importsOf(file: string): string[] {
  const specifiers = [
    ...sourceOf(file).matchAll(
      /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'|new URL\('([^']+\.tsx?)', import\.meta\.url\)|import\.meta\.resolve\('(\.[^']+)'\)/g,
    ),
  ];
  return specifiers.map(([, imported, run, resolved = '']) =>
    relative(ROOT, normalize(join(ROOT, dirname(file), imported ?? run ?? resolved))),
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
